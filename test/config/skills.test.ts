import { expect, test } from 'vitest';
import { describeConfig, explainConfig, loadConfig } from '../../src/config/index.ts';
import { failure, loadYaml, workspace } from './workspace.ts';

const SOURCES = `skills:
  sources:
    - { id: files, type: filesystem, root: prompts }
    - { id: cache, type: redis, dsn_env: SKILLS_REDIS, prefix: 'app:' }
    - id: database
      type: postgres
      dsn_env: SKILLS_POSTGRES
  spaces:
    - { namespace: 'team:product', sources: [files, database] }
    - { namespace: archive, enabled: false, sources: [cache] }
`;

test('spaces and sources are lists, and spaces are enabled by default', () => {
  const { skills } = loadYaml(SOURCES).config;
  expect(skills.spaces).toEqual([
    { namespace: 'team:product', enabled: true, sources: ['files', 'database'] },
    { namespace: 'archive', enabled: false, sources: ['cache'] },
  ]);
  expect(skills.sources.map(({ id, type }) => [id, type])).toEqual([
    ['files', 'filesystem'],
    ['cache', 'redis'],
    ['database', 'postgres'],
  ]);
});

test('explain shows where each value of a source was set', () => {
  expect(explainConfig(loadYaml(SOURCES), 'skills.sources')).toContain(
    '  [2].dsn_env = "SKILLS_POSTGRES" ← config/tacho.yaml:7:16',
  );
});

test('a variable can contain sources as JSON', () => {
  const sources = [{ id: 'files', type: 'filesystem', root: '.' }];
  const { config } = loadConfig({
    workspaceRoot: workspace(),
    env: { TACHO_SKILLS_SOURCES: JSON.stringify(sources) },
  });
  expect(config.skills.sources).toEqual(sources);
});

test('the keys of sources and spaces are described', () => {
  const paths = describeConfig().map(({ path }) => path);
  expect(paths).toContain('skills.sources[].dsn_env');
  expect(paths).toContain('skills.spaces[].enabled');
});

test.each([
  ['a missing key', { id: 'a', type: 'redis' }, 'skills.sources[0].dsn_env is missing; it must be the name'],
  ['a key of another type', { id: 'a', type: 'redis', dsn_env: 'A', root: '.' }, 'a redis source has dsn_env, prefix'],
  ['an unknown type', { id: 'a', type: 'mysql' }, 'skills.sources[0].type must be filesystem'],
  ['an unknown key', { id: 'a', type: 'redis', dsn: 'x' }, 'unknown key skills.sources[0].dsn; did you mean dsn_env?'],
  ['an MCP server without an address', { id: 'a', type: 'mcp' }, 'an mcp source has exactly one of them'],
  ['a table that is not an identifier', { id: 'a', type: 'postgres', dsn_env: 'A', table: 'a"b' }, 'must be a name'],
])('rejects %s of a source', (_, source, message) => {
  expect(() => loadYaml(JSON.stringify({ skills: { sources: [source] } }))).toThrow(message);
});

test('rejects two sources with one id, and two spaces with one namespace', () => {
  const source = { id: 'a', type: 'memory' };
  const space = { namespace: 'team', sources: [] };
  expect(() => loadYaml(JSON.stringify({ skills: { sources: [source, source] } }))).toThrow(
    'skills.sources[1].id repeats that of item 1',
  );
  expect(() => loadYaml(JSON.stringify({ skills: { spaces: [space, space] } }))).toThrow(
    'skills.spaces[1].namespace repeats that of item 1',
  );
});

test('a connection string in the place of a variable name is not repeated in the error', () => {
  const dsn_env = 'postgres://app:hunter2@db.example/skills';
  const error = failure(() => loadYaml(JSON.stringify({ skills: { sources: [{ id: 'a', type: 'redis', dsn_env }] } })));
  expect(error.message).toContain('skills.sources[0].dsn_env must be the name of an environment variable');
  expect(JSON.stringify([error.message, error.fix, error.facts])).not.toContain('hunter2');
});

test.each(['Team', 'a:b:c:d:e:f:g:h', 'a::b', '-a', 'a-', '', 'a b'])('rejects the namespace %j', (namespace) => {
  expect(() => loadYaml(JSON.stringify({ skills: { spaces: [{ namespace, sources: [] }] } }))).toThrow(
    'skills.spaces[0].namespace must be 1 to 7 segments',
  );
});
