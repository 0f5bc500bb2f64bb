import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ConfigSettings, loadConfig } from '../../src/config/index.ts';
import { failure, loadYaml, problemsOf, workspace } from './workspace.ts';

const DURATION = 'a duration such as 30s or 1h30m, or a number of milliseconds';

describe('an unknown key is refused with its location and the closest known key', () => {
  test.each([
    ['recording:\n  levle: full\n', '2:3: unknown key recording.levle; did you mean recording.level?'],
    ['\n\nrecordng:\n  level: full\n', '3:1: unknown key recordng; did you mean recording?'],
    [
      'recording: { blobMaxBytes: 1 }\n',
      '1:14: unknown key recording.blobMaxBytes; did you mean recording.blob_max_bytes?',
    ],
    ['limits:\n  kill-grace-ms: 1\n', '2:3: unknown key limits.kill-grace-ms; did you mean limits.kill_grace_ms?'],
    ['limits:\n  timeout: 1m\n', '2:3: unknown key limits.timeout; did you mean limits.timeout_ms?'],
    ['timeout_ms: 1\n', '1:1: unknown key timeout_ms; did you mean limits.timeout_ms?'],
    ['terminal:\n  fsync: off\n', '2:3: unknown key terminal.fsync; did you mean journal.fsync?'],
    ['recording.level: full\n', '1:1: unknown key recording.level; keys are nested: write recording: {level: …}'],
    ['journal:\n  zebra: 1\n', '2:3: unknown key journal.zebra; known here: fsync, fsync_interval_ms'],
    [
      '__proto__:\n  level: full\n',
      '1:1: unknown key __proto__; known here: recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment',
    ],
    [
      'recording:\n  __proto__: { level: full }\n',
      '2:3: unknown key recording.__proto__; known here: level, capture, ignore, gitignore, snapshot_entries, snapshot_ms, blob_max_bytes, checkpoint_bytes, checkpoint_ms',
    ],
    [
      'recording:\n  constructor: 1\n',
      '2:3: unknown key recording.constructor; known here: level, capture, ignore, gitignore, snapshot_entries, snapshot_ms, blob_max_bytes, checkpoint_bytes, checkpoint_ms',
    ],
    [
      '"\\e[31m": 1\n',
      '1:1: unknown key "\\u001b[31m"; known here: recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment',
    ],
    [
      '<<: { recording: {} }\n',
      '1:1: unknown key "<<"; known here: recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment',
    ],
  ])('%j', (text, message) => {
    const error = failure(() => loadYaml(text));
    expect([error.code, error.message]).toEqual(['CONFIG_UNKNOWN_KEY', `config/tacho.yaml:${message}`]);
  });
});

describe('an invalid value is refused with its location and the valid values', () => {
  test.each([
    ['recording:\n  level: fulll\n', '2:10: recording.level must be full, standard or minimal, not "fulll"'],
    ['recording:\n  level:\n', '2:9: recording.level must be full, standard or minimal, not null'],
    ['recording:\n  level: { a: 1 }\n', '2:10: recording.level must be full, standard or minimal, not a map'],
    ['recording:\n  level: [full]\n', '2:10: recording.level must be full, standard or minimal, not a list'],
    ['terminal:\n  cols: 0\n', '2:9: terminal.cols must be a whole number from 1 to 65535, not 0'],
    ['terminal:\n  cols: 65536\n', '2:9: terminal.cols must be a whole number from 1 to 65535, not 65536'],
    ['terminal:\n  cols: 80.5\n', '2:9: terminal.cols must be a whole number from 1 to 65535, not 80.5'],
    ['terminal:\n  cols: wide\n', '2:9: terminal.cols must be a whole number from 1 to 65535, not "wide"'],
    [
      'terminal: { term: "a b" }\n',
      '1:19: terminal.term must be the name of a terminal type, such as xterm-256color, not "a b"',
    ],
    [
      'limits:\n  timeout_ms: "30"\n',
      `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null: "30" needs a unit: 30s or 30ms, for example`,
    ],
    [
      'limits:\n  timeout_ms: soon\n',
      `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null: "soon" is not a duration such as 250ms, 30s, 5m or 1h30m`,
    ],
    ['limits:\n  timeout_ms: 0\n', `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null, not 0`],
    [
      'limits:\n  timeout_ms: 25d\n',
      `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null, not "25d"`,
    ],
    [
      'limits:\n  timeout_ms: .inf\n',
      `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null, not Infinity`,
    ],
    [
      'limits:\n  timeout_ms: true\n',
      `2:15: limits.timeout_ms must be ${DURATION}, from 1ms to 24d, or null, not true`,
    ],
    ['limits:\n  linger_ms: null\n', `2:14: limits.linger_ms must be ${DURATION}, from 0ms to 1h, not null`],
    [
      'recording:\n  blob_max_bytes: 64M\n',
      '2:19: recording.blob_max_bytes must be a size such as 10kB or 64MiB, or a number of bytes, from 0B to 256MiB: "64M" is ambiguous: write 64MB or 64MiB',
    ],
    [
      'recording:\n  ignore: node_modules\n',
      '2:11: recording.ignore must be a list of names or paths, not "node_modules"',
    ],
    [
      'recording:\n  ignore:\n    - a\n    - 2024\n',
      '4:7: recording.ignore must be a list of names or paths, but item 2 is 2024; quotes would make it text',
    ],
    [
      'recording:\n  ignore: [a, [b]]\n',
      '2:15: recording.ignore must be a list of names or paths, but item 2 is a list',
    ],
    [
      'environment:\n  pass: ["A=1"]\n',
      '2:10: environment.pass must be a list of variable names; * matches any characters, but item 1 is "A=1"',
    ],
    [
      'recording: full\n',
      '1:12: recording must be a map with keys from: level, capture, ignore, gitignore, snapshot_entries, snapshot_ms, blob_max_bytes, checkpoint_bytes, checkpoint_ms; not "full"',
    ],
    [
      '- recording\n',
      '1:1: a configuration must be a map with keys from: recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment; not a list',
    ],
    [
      'just text\n',
      '1:1: a configuration must be a map with keys from: recording, journal, terminal, limits, engines, service, runtime, skills, llm, models, prompt, tools, safety, sandbox, mcp, targets, environment; not "just text"',
    ],
    ['terminal:\n  cols: 1\n  rows: 2\n  cols: 3\n', '4:3: "cols" is set twice; first at config/tacho.yaml:2:3'],
    ['terminal:\n  1: x\n', '2:3: a key must be text, not 1'],
    ['true: x\n', '1:1: a key must be text, not true'],
    ['? [a, b]\n: x\n', '1:3: a key must be text, not a list'],
    ['\ufeffterminal: { cols: no }\n', '1:19: terminal.cols must be a whole number from 1 to 65535, not "no"'],
    ['terminal:\r\n  cols: no\r\n', '2:9: terminal.cols must be a whole number from 1 to 65535, not "no"'],
  ])('%j', (text, message) => {
    const error = failure(() => loadYaml(text));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', `config/tacho.yaml:${message}`]);
  });
});

describe('invalid YAML is refused with its location', () => {
  test.each([
    ['recording:\n\tlevel: full\n', '2:1: '],
    ['recording: {level: full\n', '2:1: '],
    ['recording:\n  level: "full\n', '3:1: Missing closing "quote'],
    ['a: b: c\n', '1:4: Nested mappings are not allowed in compact mappings'],
    ['terminal: {}\n---\nterminal: {}\n', '2:1: '],
    ['terminal:\n  term: !run xterm\n', '2:9: Unresolved tag: !run'],
    ['terminal:\n  term: *nowhere\n', '2:9: this alias has no anchor before it'],
    ['terminal:\n  term: &a xterm\n  rows: *b\n', '3:9: this alias has no anchor before it'],
  ])('%j', (text, message) => {
    const error = failure(() => loadYaml(text));
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      expect.stringContaining(`config/tacho.yaml:${message}`),
    ]);
  });

  test('a file that is not UTF-8', () => {
    const error = failure(() => loadYaml(Buffer.from('terminal: { term: "\xff" }', 'latin1')));
    expect(error.message).toBe('config/tacho.yaml: is not UTF-8 text');
  });
});

describe('hostile files are refused', () => {
  const manyAliases = `recording:\n  ignore: [&a x${', *a'.repeat(101)}]\n`;
  const levels = Array.from({ length: 9 }, (_, i) => `- &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`);
  const bomb = `recording:\n  ignore:\n    - &l0 x\n    ${levels.join('\n    ')}\n`;
  const deep = (inner: string) => `${'['.repeat(600)}${inner}${']'.repeat(600)}`;
  const deepAliases = Array.from({ length: 12 }, (_, i) => `    - &d${i} ${deep(i === 0 ? 'x' : `*d${i - 1}`)}\n`);
  test.each([
    [
      'deep nesting by aliases',
      `recording:\n  ignore:\n${deepAliases.join('')}`,
      /^config\/tacho\.yaml:3:\d+: this is nested too deeply$/,
    ],
    ['an alias bomb', bomb, /more than 100 aliases are not allowed/],
    ['many aliases', manyAliases, /^config\/tacho\.yaml:2:\d+: more than 100 aliases are not allowed$/],
    ['an anchor inside itself', 'recording:\n  ignore: &a [*a]\n', /more than 100 aliases are not allowed/],
    ['deep nesting', '['.repeat(100_000), /nested too deeply/],
    ['deep nesting in blocks', '- '.repeat(100_000), /nested too deeply/],
    ['very many keys', Array.from({ length: 60_000 }, (_, i) => `k${i}:\n`).join(''), /1:1: unknown key k0/],
    ['very many equal keys', 'a:\n'.repeat(60_000), /1:1: unknown key a/],
    ['a very long key', `? ${'a'.repeat(1_000_000)}\n: 1\n`, /unknown key "a{80}…"/],
  ])('%s', (_, text, message) => {
    expect(failure(() => loadYaml(text)).message).toMatch(message);
  });

  test('a file over 1 MiB', () => {
    expect(failure(() => loadYaml('#'.repeat(2 ** 20 + 1))).message).toBe('config/tacho.yaml: is larger than 1 MiB');
    expect(loadYaml('#'.repeat(2 ** 20)).config.recording.level).toBe('full');
  });
});

describe('an unreadable file is refused, a missing optional one is not', () => {
  test('a folder in place of the file', () => {
    const root = workspace();
    mkdirSync(join(root, 'config/tacho.yaml'), { recursive: true });
    expect(failure(() => loadConfig({ workspaceRoot: root, env: {} })).message).toBe(
      'config/tacho.yaml: is not a regular file',
    );
  });

  test('circular links', () => {
    const root = workspace({ 'config/other': '' });
    symlinkSync('tacho.yaml', join(root, 'config/tacho.yaml'));
    expect(failure(() => loadConfig({ workspaceRoot: root, env: {} })).message).toBe(
      'config/tacho.yaml: cannot be read: its symbolic links go round in a circle',
    );
  });

  test('a file without permission', () => {
    const root = workspace({ 'config/tacho.yaml': '' });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'config/tacho.yaml'), 0);
    const error = withoutRoot(() => failure(() => loadConfig({ workspaceRoot: root, env: {} })));
    expect(error.message).toBe('config/tacho.yaml: cannot be read: permission denied');
  });

  test("a user's file without permission, unless this user cannot even search its folder", () => {
    const [root, dataFolder] = [workspace(), workspace({ 'config.yaml': 'terminal: { cols: 1 }\n' })];
    const load = () => loadConfig({ workspaceRoot: root, env: {}, dataFolder });
    for (const folder of [root, dataFolder]) chmodSync(folder, 0o755);
    chmodSync(join(dataFolder, 'config.yaml'), 0);
    expect(withoutRoot(() => failure(load)).message).toBe(
      `${dataFolder}/config.yaml: cannot be read: permission denied`,
    );
    chmodSync(dataFolder, 0o700);
    if (process.geteuid!() === 0) expect(withoutRoot(load).config.terminal.cols).toBe(120);
  });

  test('a named file that does not exist', () => {
    const root = workspace({ 'a.yaml': '' });
    const error = failure(() => loadConfig({ workspaceRoot: root, env: { TACHO_CONFIG_PATHS: 'a.yaml, b.yaml' } }));
    expect([error.code, error.message]).toEqual([
      'CONFIG_INVALID',
      `TACHO_CONFIG_PATHS: the file "b.yaml" does not exist: "${root}/b.yaml"`,
    ]);
  });

  test('a named file without permission or of another kind', () => {
    const root = workspace();
    const error = failure(() => loadConfig({ workspaceRoot: root, env: { TACHO_CONFIG_PATHS: '/dev/zero' } }));
    expect(error.message).toBe('/dev/zero: is not a regular file');
  });

  test('no file, an empty one, and one with only comments or empty sections', () => {
    expect(loadConfig({ workspaceRoot: workspace(), env: {} }).config.terminal.cols).toBe(120);
    expect(loadConfig({ workspaceRoot: '/nowhere/at/all', env: {} }).config.terminal.cols).toBe(120);
    for (const text of ['', '# nothing\n', '---\n', 'terminal:\n  # cols: 1\nlimits: {}\n', '~\n']) {
      expect(loadYaml(text).config.terminal.cols).toBe(120);
    }
  });
});

describe('problems are collected', () => {
  test('from all layers in one error, with the first as the message', () => {
    const root = workspace({
      'config/tacho.yaml': 'recording:\n  levle: full\nterminal: { cols: 0 }\n',
      'more.yaml': 'a: b: c\n',
      '.env': 'TACHO_TERMINAL_ROWS=0\n',
    });
    const load = () =>
      loadConfig({
        workspaceRoot: root,
        env: { TACHO_CONFIG_PATHS: 'more.yaml', TACHO_JOURNAL_FSYNC: 'sometimes' },
        session: { name: '--timeout', settings: { limits: { timeout_ms: '30' } } },
      });
    expect(problemsOf(load).map(({ code, path, source, suggestion }) => ({ code, path, source, suggestion }))).toEqual([
      {
        code: 'CONFIG_UNKNOWN_KEY',
        path: 'recording.levle',
        source: { kind: 'file', name: 'config/tacho.yaml', line: 2, col: 3 },
        suggestion: 'recording.level',
      },
      {
        code: 'CONFIG_INVALID',
        path: 'terminal.cols',
        source: { kind: 'file', name: 'config/tacho.yaml', line: 3, col: 19 },
      },
      { code: 'CONFIG_INVALID', source: { kind: 'file', name: 'more.yaml', line: 1, col: 4 } },
      { code: 'CONFIG_INVALID', path: 'terminal.rows', source: { kind: 'env_file', name: '.env', line: 1, col: 1 } },
      { code: 'CONFIG_INVALID', path: 'journal.fsync', source: { kind: 'environment', name: 'TACHO_JOURNAL_FSYNC' } },
      { code: 'CONFIG_INVALID', path: 'limits.timeout_ms', source: { kind: 'session', name: '--timeout' } },
    ]);
    const error = failure(load);
    expect(error.code).toBe('CONFIG_UNKNOWN_KEY');
    expect(error.fix).toMatch(
      /^Also wrong: config\/tacho\.yaml:3:19: terminal\.cols .*; --timeout: limits\.timeout_ms /,
    );
  });

  test('up to a limit', () => {
    const text = Array.from({ length: 1000 }, (_, i) => `k${i}: 1\n`).join('');
    expect(problemsOf(() => loadYaml(text))).toHaveLength(20);
    expect(failure(() => loadYaml(text)).fix).toMatch(/; and 14 more$/);
  });
});

test('session settings are checked like a file', () => {
  const load = (settings: unknown) => () =>
    loadConfig({
      workspaceRoot: workspace(),
      env: {},
      session: { name: '--set', settings: settings as ConfigSettings },
    });
  expect(failure(load({ limits: { timeout_ms: 'soon' } })).message).toMatch(/^--set: limits\.timeout_ms must be /);
  expect(failure(load({ limits: { tiemout_ms: 1 } })).message).toBe(
    '--set: unknown key limits.tiemout_ms; did you mean limits.timeout_ms?',
  );
  expect(failure(load(JSON.parse('{"__proto__": {"polluted": 1}}'))).code).toBe('CONFIG_UNKNOWN_KEY');
  expect({}).not.toHaveProperty('polluted');
  expect(failure(load([])).message).toMatch(/^--set: a configuration must be a map/);
  const circle: Record<string, unknown> = {};
  circle.recording = circle;
  expect(failure(load(circle)).code).toBe('CONFIG_UNKNOWN_KEY');
});

/** Root may read everything, so the test temporarily drops its privileges. */
function withoutRoot<T>(act: () => T): T {
  if (process.geteuid!() !== 0) return act();
  process.seteuid!(65_534);
  try {
    return act();
  } finally {
    process.seteuid!(0);
  }
}
