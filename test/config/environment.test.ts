import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { environmentName } from '../../src/config/field-table.ts';
import { describeConfig, loadConfig } from '../../src/config/index.ts';
import { failure, loadTrusted, workspace } from './workspace.ts';

const load = (env: Record<string, string | undefined>, workspaceRoot = workspace()) =>
  loadConfig({ workspaceRoot, env });

describe('variables of the environment', () => {
  test('are named after the path, and no two fields share a name', () => {
    expect(environmentName('limits.no_progress_timeout_ms')).toBe('TACHO_LIMITS_NO_PROGRESS_TIMEOUT_MS');
    const names = describeConfig().flatMap((row) => row.environment_name ?? []);
    expect(new Set(names).size).toBe(names.length);
  });

  test('are read by the type of the field', () => {
    const { config } = load({
      TACHO_RECORDING_LEVEL: ' minimal ',
      TACHO_RECORDING_IGNORE: 'dist, .cache ,node_modules',
      TACHO_RECORDING_BLOB_MAX_BYTES: '64KiB',
      TACHO_TERMINAL_COLS: '80',
      TACHO_TERMINAL_TERM: 'vt100',
      TACHO_LIMITS_TIMEOUT_MS: '1h30m',
      TACHO_LIMITS_LINGER_MS: '250',
      TACHO_ENVIRONMENT_PASS: '["A", "B,C"]',
      TACHO_ENVIRONMENT_INHERIT: '[]',
    });
    expect(config.recording).toMatchObject({
      level: 'minimal',
      ignore: ['dist', '.cache', 'node_modules'],
      blob_max_bytes: 65_536,
    });
    expect(config.terminal).toEqual({ cols: 80, rows: 40, term: 'vt100' });
    expect(config.limits).toMatchObject({ timeout_ms: 5_400_000, linger_ms: 250 });
    expect(config.environment).toMatchObject({ pass: ['A', 'B,C'], inherit: [] });
  });

  test('use null for no value', () => {
    const workspaceRoot = workspace({ 'config/tacho.yaml': 'limits: { timeout_ms: 5m }\n' });
    expect(load({ TACHO_LIMITS_TIMEOUT_MS: 'null' }, workspaceRoot).config.limits.timeout_ms).toBe(null);
  });

  test('count as not set if they are empty', () => {
    const loaded = load({
      TACHO_TERMINAL_COLS: '',
      TACHO_RECORDING_LEVEL: ' ',
      TACHO_CONFIG_PATHS: '',
      TACHO_TERMINAL_ROWS: undefined,
    });
    expect(loaded.origins.map(({ source }) => source.kind)).toEqual(loaded.origins.map(() => 'default'));
  });

  test('of other parts of tacho are ignored', () => {
    const env = {
      TACHO_HOME: '/x',
      TACHO_RUN_ID: 'r',
      TACHO_RUNTIME_TOKEN: 'a-secret-and-not-a-setting',
      TACHO_MARKER: 'm',
      TACHO_PROOF: 'full',
      TACHO_RECORDING: '1',
      TACHO_TERM: 'x',
      TACHO_CONFIG__X: '1',
      TACHO_: '',
      HOME: '/',
    };
    expect(load(env).config).toEqual(load({}).config);
  });

  test.each([
    ['TACHO_RECORDING_LEVLE', 'did you mean TACHO_RECORDING_LEVEL?'],
    ['TACHO_RECODING_LEVEL', 'did you mean TACHO_RECORDING_LEVEL?'],
    ['TACHO_LIMITS_TIMEOUT', 'did you mean TACHO_LIMITS_TIMEOUT_MS?'],
    ['TACHO_JOURNAL_ENTIRELY_DIFFERENT_THING', 'see `tacho config explain` for the known keys'],
  ])('that are misspelt are refused: %s', (name, help) => {
    const error = failure(() => load({ [name]: '1' }));
    expect([error.code, error.message]).toEqual([
      'CONFIG_UNKNOWN_KEY',
      `${name}: no key of the configuration has the variable ${name}; ${help}`,
    ]);
  });

  test.each([
    ['TACHO_TERMINAL_COLS', 'wide', 'terminal.cols must be a whole number from 1 to 65535, not "wide"'],
    ['TACHO_TERMINAL_COLS', '-1', 'terminal.cols must be a whole number from 1 to 65535, not "-1"'],
    ['TACHO_JOURNAL_FSYNC', 'null', 'journal.fsync must be each, interval or off, not "null"'],
    ['TACHO_RECORDING_IGNORE', '[a', 'recording.ignore is not a JSON list: "[a"'],
    ['TACHO_RECORDING_IGNORE', 'a,,b', 'recording.ignore must be a list of names or paths, but item 2 is ""'],
    [
      'TACHO_RECORDING_IGNORE',
      '[1]',
      'recording.ignore must be a list of names or paths, but item 1 is 1; quotes would make it text',
    ],
  ])('that are invalid are refused: %s=%s', (name, text, message) => {
    const error = failure(() => load({ [name]: text }));
    expect([error.code, error.message]).toEqual(['CONFIG_INVALID', `${name}: ${message}`]);
  });
});

describe('files named by TACHO_CONFIG_PATHS', () => {
  test('are separated by commas or semicolons, relative to the workspace, and the later one wins', () => {
    const workspaceRoot = workspace({
      'config/tacho.yaml': 'terminal: { cols: 1, rows: 1, term: own }\n',
      'a.yaml': 'terminal: { cols: 2, rows: 2 }\n',
      'b/c.yml': 'terminal: { cols: 3 }\n',
    });
    const loaded = load({ TACHO_CONFIG_PATHS: ` a.yaml ;, ${join(workspaceRoot, 'b/c.yml')},` }, workspaceRoot);
    expect(loaded.config.terminal).toEqual({ cols: 3, rows: 2, term: 'own' });
    expect(loaded.origin('terminal.cols').source).toEqual({
      kind: 'file',
      name: join(workspaceRoot, 'b/c.yml'),
      line: 1,
      col: 13,
    });
  });

  test('may be named in .env, unless the environment names others', () => {
    const workspaceRoot = workspace({
      '.env': 'TACHO_CONFIG_PATHS=a.yaml\n',
      'a.yaml': 'terminal: { cols: 2 }\n',
      'b.yaml': 'terminal: { cols: 3 }\n',
    });
    expect(loadTrusted({ workspaceRoot, env: {} }).config.terminal.cols).toBe(2);
    expect(loadTrusted({ workspaceRoot, env: { TACHO_CONFIG_PATHS: '' } }).config.terminal.cols).toBe(2);
    expect(loadTrusted({ workspaceRoot, env: { TACHO_CONFIG_PATHS: 'b.yaml' } }).config.terminal.cols).toBe(3);
  });
});

describe('.env', () => {
  test('has lower precedence than the environment and higher than files', () => {
    const workspaceRoot = workspace({
      'config/tacho.yaml': 'terminal: { cols: 1, rows: 1 }\n',
      '.env': '# terminal\nexport TACHO_TERMINAL_COLS="2"\nTACHO_TERMINAL_ROWS=2\n',
    });
    const loaded = load({ TACHO_TERMINAL_ROWS: '3' }, workspaceRoot);
    expect(loaded.config.terminal).toMatchObject({ cols: 2, rows: 3 });
    expect(loaded.origin('terminal.rows')).toEqual({
      path: 'terminal.rows',
      value: 3,
      source: { kind: 'environment', name: 'TACHO_TERMINAL_ROWS' },
      overrode: [
        { value: 2, source: { kind: 'env_file', name: '.env', line: 3, col: 1 } },
        { value: 1, source: { kind: 'file', name: 'config/tacho.yaml', line: 1, col: 22 } },
        { value: 40, source: { kind: 'default', name: 'default' } },
      ],
    });
    expect(loaded.origin('terminal.cols').source).toEqual({ kind: 'env_file', name: '.env', line: 2, col: 8 });
  });

  test('does not change the environment of the process', () => {
    const workspaceRoot = workspace({ '.env': 'TACHO_TERMINAL_COLS=2\nOTHER=3\n' });
    const env = {};
    load(env, workspaceRoot);
    expect(env).toEqual({});
    expect(process.env.OTHER).toBe(undefined);
  });

  test('may have invalid lines of other programs, but none of ours', () => {
    expect(load({}, workspace({ '.env': Buffer.from('so what\nX="\n\xff\n', 'latin1') })).config.terminal.cols).toBe(
      120,
    );
    const error = failure(() => load({}, workspace({ '.env': 'A=1\n export TACHO_TERMINAL_COLS="80\n' })));
    expect(error.message).toBe('.env:2:2: this line cannot be read as NAME=value; are its quotes closed?');
  });

  test('may be a folder, like a Python environment', () => {
    const workspaceRoot = workspace();
    mkdirSync(join(workspaceRoot, '.env'));
    expect(load({}, workspaceRoot).config.terminal.cols).toBe(120);
  });
});
