import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { fieldFacts, named, text } from '../../src/config/field.ts';
import { fieldTable } from '../../src/config/field-table.ts';
import { explainConfig, loadConfig } from '../../src/config/index.ts';
import { splitPath } from '../../src/config/key-path.ts';
import { resolveConfig, resolveOrigins } from '../../src/config/origins.ts';
import type { ConfigProblem } from '../../src/config/problem.ts';
import { readLayer } from '../../src/config/settings.ts';
import { readYaml } from '../../src/config/sources/yaml-text.ts';
import { failure, loadTrusted, problemsOf, workspace } from './workspace.ts';

const HOST = 'host: one.example, user: ci, host_key: ssh-ed25519 AAAA';
const COMMON = { program: 'tacho', workspace: '.', grace_ms: 3_600_000 };
const ONE = { host: 'one.example', port: 22, user: 'ci', host_key: 'ssh-ed25519 AAAA', ...COMMON };

/** The workspace's file, and the files over it in order. */
function loadFiles(own: string, ...overlays: string[]) {
  const names = overlays.map((_, index) => `${index + 1}.yaml`);
  const files = Object.fromEntries(overlays.map((content, index) => [names[index]!, content]));
  const workspaceRoot = workspace({ 'config/tacho.yaml': own, ...files });
  return loadTrusted({ workspaceRoot, env: { TACHO_CONFIG_PATHS: names.join(',') } });
}

describe('a map of named entries', () => {
  test('keeps the entries of lower layers when a higher one adds another', () => {
    const { targets } = loadFiles(
      `targets: { ssh: { a: { ${HOST} } } }`,
      `targets: { ssh: { b: { ${HOST} } } }`,
    ).config;
    expect(targets.ssh).toEqual({ a: ONE, b: ONE });
  });

  test('takes single values of an entry from a higher layer', () => {
    const loaded = loadFiles(`targets:\n  ssh:\n    a: { ${HOST} }\n`, 'targets:\n  ssh:\n    a:\n      port: 2222\n');
    expect(loaded.config.targets.ssh).toEqual({ a: { ...ONE, port: 2222 } });
    expect(explainConfig(loaded, 'targets.ssh.a')).toEqual([
      'targets.ssh.a.host = "one.example" ← config/tacho.yaml:3:10',
      'targets.ssh.a.port = 2222 ← 1.yaml:4:7 (over default)',
      'targets.ssh.a.user = "ci" ← config/tacho.yaml:3:29',
      'targets.ssh.a.host_key = "ssh-ed25519 AAAA" ← config/tacho.yaml:3:39',
      'targets.ssh.a.program = "tacho" ← default',
      'targets.ssh.a.workspace = "." ← default',
      'targets.ssh.a.grace_ms = 3600000 ← default',
    ]);
  });

  test('loses an entry that a higher layer sets to null, and can get it again from a still higher one', () => {
    const own = `targets: { ssh: { a: { ${HOST}, port: 2222 }, b: { ${HOST} } } }`;
    const removed = loadFiles(own, 'targets: { ssh: { a: null } }');
    expect(removed.config.targets.ssh).toEqual({ b: ONE });
    expect(explainConfig(removed, 'targets.ssh')[0]).toBe(
      'targets.ssh.a = null ← 1.yaml:1:19 (over config/tacho.yaml:1:19)',
    );
    const again = loadFiles(own, 'targets: { ssh: { a: } }', `targets: { ssh: { a: { ${HOST} } } }`);
    expect(again.config.targets.ssh).toEqual({ a: ONE, b: ONE });
    expect(again.origin('targets.ssh.a.host').overrode.map(({ source }) => source.name)).toEqual([
      '1.yaml',
      'config/tacho.yaml',
    ]);
  });

  test('resets a value of an entry to its default by null', () => {
    const own = `targets: { ssh: { a: { ${HOST}, port: 2222, key_file: /key } } }`;
    const loaded = loadFiles(own, 'targets: { ssh: { a: { port: null, key_file: null } } }');
    expect(loaded.config.targets.ssh).toEqual({ a: ONE });
    expect(explainConfig(loaded, 'targets.ssh.a.port')[0]).toBe(
      'targets.ssh.a.port = 22 ← 1.yaml:1:24 (over config/tacho.yaml:1:81, default)',
    );
    expect(loaded.origin('targets.ssh.a.key_file').value).toBeNull();
  });

  test('is merged with JSON in a variable', () => {
    const workspaceRoot = workspace({ 'config/tacho.yaml': `targets: { ssh: { a: { ${HOST} } } }` });
    const env = { TACHO_TARGETS_SSH: '{"a":{"port":2222},"b":null}' };
    expect(loadTrusted({ workspaceRoot, env }).config.targets.ssh).toEqual({ a: { ...ONE, port: 2222 } });
  });

  test('may be empty in a file, like a section', () => {
    expect(loadFiles('targets:\n  ssh:\n').config.targets.ssh).toEqual({});
  });

  test('has names with dots, which are quoted in paths', () => {
    const loaded = loadFiles(`targets: { ssh: { one.example: { ${HOST} } } }`);
    expect(explainConfig(loaded, 'targets.ssh.one.example.port')[0]).toBe(
      'targets.ssh."one.example".port = 22 ← default',
    );
    expect(explainConfig(loaded, 'targets.ssh."one.example"')).toHaveLength(7);
    expect(splitPath('targets.ssh."one.example".port')).toEqual(['targets', 'ssh', 'one.example', 'port']);
    expect(['a..b', 'a.', '.a', '"a', 'a"b"'].map(splitPath)).toEqual([['a..b'], ['a.'], ['.a'], ['"a'], ['a"b"']]);
  });

  test('is explained by path: one value with its description, and no missing ones', () => {
    const loaded = loadFiles(`targets: { ssh: { a: { ${HOST} } } }`);
    expect(explainConfig(loaded, 'targets.ssh.a.port')).toEqual([
      'targets.ssh.a.port = 22 ← default',
      '  Port of its ssh server.',
      '  Must be a whole number from 1 to 65535.',
    ]);
    expect(explainConfig(loaded, 'targets.ssh.a.key_file')[0]).toBe('targets.ssh.a.key_file = null ← default');
    const message = (path: string) => failure(() => explainConfig(loaded, path)).message;
    expect(message('targets.ssh.b')).toBe('targets.ssh has no entry "b"; it has a');
    expect(message('targets.ssh.a.prot')).toBe('unknown key "targets.ssh.a.prot"; did you mean targets.ssh.a.port?');
    expect(message('targets.container.x')).toBe('targets.container has no entry "x"; it is empty');
  });
});

describe('an entry', () => {
  test('that lacks a value in all layers is refused at its last location', () => {
    const load = () => loadFiles('targets: { ssh: { a: { host: h } } }', 'targets:\n  ssh:\n    a: { user: u }\n');
    expect(problemsOf(load)).toEqual([
      {
        code: 'CONFIG_INVALID',
        message: '1.yaml:3:5: targets.ssh.a.host_key is missing; it must be a type and a key: ssh-ed25519 AAAA…',
        source: { kind: 'file', name: '1.yaml', line: 3, col: 5 },
        path: 'targets.ssh.a.host_key',
      },
    ]);
  });

  test('that only an untrusted file completes is left out', () => {
    const workspaceRoot = workspace({ 'config/tacho.yaml': `targets: { ssh: { a: { ${HOST} } } }` });
    const loaded = loadConfig({ workspaceRoot, env: { TACHO_TARGETS_SSH: '{"a":{"port":2222}}' } });
    expect(loaded.config.targets.ssh).toEqual({});
    expect(loaded.workspace.needsTrust.map(({ path }) => path)).toEqual([
      'targets.ssh.a.host',
      'targets.ssh.a.user',
      'targets.ssh.a.host_key',
    ]);
    expect(explainConfig(loaded, 'targets.ssh.a')[0]).toBe(
      '  Ignored targets.ssh.a.host = "one.example" ← config/tacho.yaml:1:24, which is not trusted: tacho trust',
    );
  });

  test('that a file named by an untrusted .env may complete is left out', () => {
    const files = { '.env': 'TACHO_CONFIG_PATHS=team.yaml\n', 'team.yaml': `targets: { ssh: { a: { ${HOST} } } }` };
    const request = { workspaceRoot: workspace(files), env: { TACHO_TARGETS_SSH: '{"a":{"port":2222}}' } };
    expect(loadConfig(request).config.targets.ssh).toEqual({});
    expect(loadTrusted(request).config.targets.ssh).toEqual({ a: { ...ONE, port: 2222 } });
  });

  test('of the user cannot be removed or changed by an untrusted file', () => {
    const outside = workspace({ 'own.yaml': `targets: { ssh: { a: { ${HOST} } } }` });
    const env = { TACHO_CONFIG_PATHS: `${outside}/own.yaml` };
    for (const said of ['null', '{ host: evil.example }', '{ port: 1 }']) {
      const workspaceRoot = workspace({ '.env': `TACHO_TARGETS_SSH='{"a":${JSON.stringify(hostile(said))}}'\n` });
      const loaded = loadConfig({ workspaceRoot, env });
      expect(loaded.config.targets.ssh).toEqual({ a: ONE });
      expect(loaded.workspace.needsTrust).toHaveLength(1);
    }
  });

  test('reports every invalid value, each at its own location', () => {
    const load = () => loadFiles('targets:\n  ssh:\n    a:\n      host: "a b"\n      port: 0\n    b: 5\n');
    expect(problemsOf(load).map(({ message }) => message)).toEqual([
      'config/tacho.yaml:4:13: targets.ssh.a.host must be a host name or an address, not "a b"',
      'config/tacho.yaml:5:13: targets.ssh.a.port must be a whole number from 1 to 65535, not 0',
      'config/tacho.yaml:6:8: targets.ssh.b must be a map with keys from: host, port, user, host_key, key_file, program, workspace, grace_ms; or null; not 5',
    ]);
  });
});

describe('a list of maps', () => {
  const host = text('Where to.', { pattern: /^[a-z.]+$/, accepts: 'a host name' });
  const facts = { type: 'list', accepts: 'a list of hops', description: 'On the way.', nullable: false, secret: false };
  const hops = z
    .array(z.strictObject({ host, port: z.int().default(22) }))
    .register(fieldFacts, { ...facts, kind: 'list' });
  const entries = z.record(z.string(), z.strictObject({ jump: hops }));
  const ssh = named(entries, 'Machines.', { of: '{jump}' });
  const table = fieldTable(() => z.strictObject({ targets: z.strictObject({ hops, ssh }) }), {
    targets: { hops: [], ssh: {} },
  });
  const read = (yaml: string, problems: ConfigProblem[]) =>
    readLayer(readYaml(yaml, 'x.yaml', problems)!, table, problems);

  test('is refused with the path and the location of each invalid value', () => {
    const problems: ConfigProblem[] = [];
    const items = '[{ host: a }, { host: 5 }, { hots: b }, c]';
    read(`targets:\n  hops: ${items}\n  ssh:\n    b:\n      jump:\n        - host: a\n        - host: A!\n`, problems);
    expect(problems.map(({ message }) => message)).toEqual([
      'x.yaml:2:31: targets.hops[1].host must be a host name, not 5',
      'x.yaml:2:36: targets.hops[2].host is missing; it must be a host name',
      'x.yaml:2:38: unknown key targets.hops[2].hots; did you mean host?',
      'x.yaml:2:49: targets.hops[3] must be a map with keys from: host, port, not "c"',
      'x.yaml:7:17: targets.ssh.b.jump[1].host must be a host name, not "A!"',
    ]);
  });

  test('is replaced completely by a higher layer, and its origin has the location of each value', () => {
    const weak = read('targets: { ssh: { b: { jump: [{ host: x }, { host: y }] } } }', []);
    const strong = read(
      'targets:\n  ssh:\n    b:\n      jump:\n        - host: a\n          port: 1\n        - { host: b }\n',
      [],
    );
    const jump = [
      { host: 'a', port: 1 },
      { host: 'b', port: 22 },
    ];
    expect(resolveConfig(table, [weak, strong])).toEqual({ targets: { hops: [], ssh: { b: { jump } } } });
    const at = (line: number, col: number) => ({ kind: 'file', name: 'x.yaml', line, col });
    expect(resolveOrigins(table, [weak, strong]).get('targets.ssh.b.jump')).toMatchObject({
      value: jump,
      source: at(4, 7),
      overrode: [{ source: at(1, 24) }],
      parts: [
        { path: '[0].host', value: 'a', source: at(5, 17) },
        { path: '[0].port', value: 1, source: at(6, 17) },
        { path: '[1].host', value: 'b', source: at(7, 19) },
      ],
    });
  });
});

function hostile(said: string): unknown {
  if (said === 'null') return null;
  return said.includes('host') ? { host: 'evil.example' } : { port: 1 };
}
