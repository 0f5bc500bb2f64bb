import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { explainConfig, type LoadConfigRequest, loadConfig } from '../../src/config/index.ts';
import { trustFolder } from '../support/trust.ts';
import { workspace } from './workspace.ts';

const FILE = 'config/tacho.yaml';
type Sections = Record<string, Record<string, unknown>>;

/** Loads a workspace and the user's own file, before and after `tacho trust`. */
function both(user: Sections, theirs: Sections, request: Partial<LoadConfigRequest> = {}) {
  const dataFolder = workspace({ 'config.yaml': stringify(user) });
  const root = workspace({ [FILE]: stringify(theirs) });
  const env = request.env ?? {};
  const load = () => loadConfig({ workspaceRoot: root, ...request, env, dataFolder });
  const untrusted = load();
  trustFolder(root, { env, dataFolder });
  const trusted = load();
  expect([untrusted.workspace.trusted, trusted.workspace.trusted]).toEqual([false, true]);
  return { untrusted, trusted };
}

/** Key, the user's value, a looser one and a stricter one of the workspace. */
const KEYS: [key: string, own: unknown, looser: unknown, stricter: unknown][] = [
  ['llm.requests', 'forbid', 'allow', 'forbid'],
  ['llm.max_output_tokens', 1000, null, 500],
  ['tools.enabled', ['read_file', 'list_*'], ['shell_exec'], ['list_dir']],
  ['safety.write', 'ask', 'allow', 'deny'],
  ['safety.command', 'ask', 'allow', 'deny'],
  ['safety.tool', 'ask', 'allow', 'deny'],
  ['safety.approver', 'later', 'terminal', 'deny'],
  ['safety.max_steps', 50, 51, 10],
  ['safety.max_wall_ms', 60_000, null, 1000],
  ['safety.max_tokens', 1000, 2000, 500],
  ['safety.max_cost_usd', 1, 1.01, 0.5],
  ['safety.max_denials', 2, 3, 1],
  ['safety.no_progress_steps', 4, 5, 2],
  ['sandbox.profile', 'balanced', 'none', 'prod'],
  ['sandbox.network', 'default', 'on', 'off'],
  ['sandbox.read', ['/data', '/srv'], ['/etc'], ['/srv']],
  ['sandbox.write', ['/data'], ['/'], []],
];

describe.each(KEYS)('%s', (key, own, looser, stricter) => {
  const [section, name] = key.split('.') as [string, string];
  const setTo = (value: unknown): Sections => ({ [section]: { [name]: value } });
  const valueIn = ({ config }: { config: object }) => (config as Sections)[section]![name];

  test('of the user is not loosened by a workspace, trusted or not', () => {
    const { untrusted, trusted } = both(setTo(own), setTo(looser));
    expect([valueIn(untrusted), valueIn(trusted)]).toEqual([own, own]);
    expect(trusted.overruled.map(({ path }) => path)).toEqual([key]);
    expect(trusted.settings).toContainEqual({ from: 'workspace_ignored', file: FILE, keys: [key] });
    expect(explainConfig(trusted, key).join('\n')).toMatch(
      /Ignored .* ← config\/tacho\.yaml:2:3, which cannot loosen your own settings/,
    );
  });

  test('can be made stricter by a trusted workspace', () => {
    expect(valueIn(both(setTo(own), setTo(stricter)).trusted)).toEqual(stricter);
  });

  test('can be loosened by a trusted workspace if the user has not set it, and by the user', () => {
    const { trusted } = both({}, setTo(looser));
    expect(valueIn(trusted)).toEqual(looser);
    const session = { name: '--flag', settings: setTo(looser) };
    expect(valueIn(both(setTo(own), {}, { session }).trusted)).toEqual(looser);
  });
});

test('a variable of the user counts like a setting of the user', () => {
  const theirs = { sandbox: { write: ['/'], network: 'on' }, safety: { max_steps: 100 } };
  const env = { TACHO_SANDBOX_PROFILE: 'prod', TACHO_SAFETY_MAX_STEPS: '50' };
  const { config, overruled } = both({}, theirs, { env }).trusted;
  expect(config.sandbox).toEqual({ profile: 'prod', network: 'default', read: [], write: [] });
  expect(config.safety.max_steps).toBe(50);
  // The variable overrides the number anyway.
  expect(overruled.map(({ path }) => path)).toEqual(['sandbox.write', 'sandbox.network']);
});

test('tools that a workspace disables are added to those that the user disabled', () => {
  const { untrusted, trusted } = both({ tools: { disabled: ['shell_*'] } }, { tools: { disabled: ['file_write'] } });
  for (const { config, overruled } of [untrusted, trusted]) {
    expect(config.tools.disabled).toEqual(['shell_*', 'file_write']);
    expect(overruled).toEqual([]);
  }
});

test('a pattern of a workspace enables only tools that a pattern of the user enables', () => {
  const enabled = (own: string[], theirs: string[]) =>
    both({ tools: { enabled: own } }, { tools: { enabled: theirs } }).trusted.config.tools.enabled;
  expect(enabled(['read_*'], ['read_f*', 'r*', '*', 'read_file'])).toEqual(['read_f*', 'read_file']);
  expect(enabled(['mcp.a*'], ['mcpXa', 'mcp.ab'])).toEqual(['mcp.ab']);
  expect(enabled(['read_*'], [])).toEqual([]);
});

describe('rules of a workspace', () => {
  const DENY = { decision: 'deny', command: ['git', 'push'] };
  const ALLOW = { decision: 'allow', command: ['npm', 'test'] };
  const ASK = { decision: 'ask', path: 'src/**', access: 'write' };
  const READ = { decision: 'allow', path: 'docs/**', access: 'read' };
  const TOOL = { decision: 'allow', tool: 'mcp_*' };

  test('are added to those of the user, each with its level and place', () => {
    const { untrusted, trusted } = both({ safety: { rules: [DENY] } }, { safety: { rules: [ALLOW, ASK] } });
    expect(untrusted.config.safety.rules).toEqual([DENY, ASK]);
    expect(trusted.config.safety.rules).toEqual([DENY, ALLOW, ASK]);
    expect(trusted.rules.map(({ rule, level, source }) => [rule, level, source.name, source.line])).toEqual([
      [DENY, 'user', expect.stringMatching(/config\.yaml$/), 3],
      [ALLOW, 'workspace', FILE, 3],
      [ASK, 'workspace', FILE, 7],
    ]);
    expect(untrusted.rules.map(({ rule, level, source }) => [rule, level, source.line])).toEqual([
      [DENY, 'user', 3],
      [ASK, 'workspace', 7],
    ]);
  });

  test('have a place for each of their values', () => {
    const { untrusted } = both({ safety: { rules: [DENY] } }, { safety: { rules: [ALLOW, ASK] } });
    const lines = explainConfig(untrusted, 'safety.rules');
    expect(lines.find((line) => line.startsWith('  [0].decision'))).toMatch(/"deny" ← .*config\.yaml:3:17$/);
    expect(lines).toContain('  [1].path = "src/**" ← config/tacho.yaml:8:13');
    expect(lines.at(-1)).not.toContain('[2]');
    expect(lines.join('\n')).toContain('which is not trusted: tacho trust');
  });

  test('of a stronger file replace those of a weaker one, not those of the user', () => {
    const dataFolder = workspace({ 'config.yaml': stringify({ safety: { rules: [DENY] } }) });
    const root = workspace({
      [FILE]: stringify({ safety: { rules: [ALLOW] } }),
      'team.yaml': stringify({ safety: { rules: [ASK] } }),
    });
    const env = { TACHO_CONFIG_PATHS: 'team.yaml' };
    trustFolder(root, { env, dataFolder });
    const { config } = loadConfig({ workspaceRoot: root, env, dataFolder });
    expect(config.safety.rules).toEqual([DENY, ASK]);
  });

  test('are replaced, like any list, by a variable or a setting for the session', () => {
    const env = { TACHO_SAFETY_RULES: JSON.stringify([ASK]) };
    const { untrusted, trusted } = both({ safety: { rules: [DENY] } }, { safety: { rules: [ALLOW] } }, { env });
    for (const { config, rules } of [untrusted, trusted]) {
      expect(config.safety.rules).toEqual([ASK]);
      expect(rules).toMatchObject([{ rule: ASK, level: 'user', source: { name: 'TACHO_SAFETY_RULES' } }]);
    }
  });

  test('of a .env are added too, with the place of their line', () => {
    const dataFolder = workspace();
    const own = workspace({ 'own.yaml': stringify({ safety: { rules: [DENY] } }) });
    const root = workspace({ '.env': `TACHO_SAFETY_RULES='${JSON.stringify([ASK])}'\n` });
    const env = { TACHO_CONFIG_PATHS: join(own, 'own.yaml') };
    const { rules, origin } = loadConfig({ workspaceRoot: root, env, dataFolder });
    expect(rules.map(({ level, source }) => [level, source.line])).toEqual([
      ['user', 3],
      ['workspace', 1],
    ]);
    expect(origin('safety.rules').parts!.at(-1)).toMatchObject({ path: '[1].access', source: { name: '.env' } });
  });

  test.each([
    ['safety.command', [ALLOW]],
    ['safety.write', [{ decision: 'allow', path: 'a' }, TOOL]],
    ['safety.tool', [TOOL]],
  ])('cannot allow what the user decided by %s', (key, dropped) => {
    const own = { safety: { [key.split('.')[1]!]: 'ask' } };
    const { trusted } = both(own, { safety: { rules: [...dropped, READ, DENY] } });
    expect(trusted.config.safety.rules).toEqual([READ, DENY]);
    expect(trusted.overruled.map(({ path }) => path)).toEqual(['safety.rules']);
  });
});

test('prices of a workspace do not count against a cost budget of the user', () => {
  const price = { input: 1, output: 2 };
  const theirs = { models: { prices: { big: { input: 0 }, other: price } } };
  const own = { models: { prices: { big: price } }, safety: { max_cost_usd: 5 } };
  const { trusted } = both(own, theirs);
  expect(trusted.config.models.prices).toEqual({ big: price });
  expect(trusted.overruled.map(({ path }) => path)).toContain('models.prices.big.input');
  expect(both({ models: own.models }, theirs).trusted.config.models.prices).toEqual({
    big: { input: 0, output: 2 },
    other: price,
  });
});
