import { describe, expect, test } from 'vitest';
import { DEFAULTS } from '../../../src/config/index.ts';
import {
  runRequestSchema,
  type SettledRequest,
  settledRequestSchema,
  type TachoError,
} from '../../../src/protocol/index.ts';
import { parseRunRequest, settleRequest } from '../../../src/runs/request/settle-request.ts';
import { shownRequest } from '../../../src/runs/request/shown-request.ts';

const HERE = { config: DEFAULTS, env: { PATH: '/bin', LANG: 'C', HOME: '/home/me', SECRET: 'x', TERM: 'xterm' } };
const ELSEWHERE = {
  config: { ...DEFAULTS, limits: { ...DEFAULTS.limits, timeout_ms: 1 }, terminal: { cols: 1, rows: 1, term: 'dumb' } },
  env: { PATH: '/elsewhere', LANG: 'de', OTHER: '1' },
};

test('an invalid choice is refused with the valid ones', () => {
  const refusal = (given: object) => {
    try {
      return parseRunRequest({ command: ['true'], ...given });
    } catch (error) {
      const { code, message, fix } = error as TachoError;
      return [code, message, fix];
    }
  };
  expect(refusal({ capture: 'video' })).toEqual([
    'INVALID_REQUEST',
    'capture cannot be "video"',
    'Use split, trace or merged.',
  ]);
  expect(refusal({ recording: { level: 7 } })).toEqual([
    'INVALID_REQUEST',
    'recording.level cannot be 7',
    'Use full, standard or minimal.',
  ]);
});

test('settling fills in all values, and settling again changes nothing', () => {
  const settled = settleRequest(parseRunRequest({ command: ['true'], env: { MODE: 'ci' } }), HERE);
  expect(settledRequestSchema.parse(settled)).toEqual(settled);
  expect(settled.env).toEqual({ PATH: '/bin', LANG: 'C', MODE: 'ci' });
  expect(settled.limits.timeout_ms).toBeNull();
  expect(settleRequest(runRequestSchema.parse(settled), ELSEWHERE)).toEqual(settled);
});

test('a request overrides the configuration, and takes named variables', () => {
  const wanted = { command: ['true'], pass_env: ['SECRET'], inherit_env: false, limits: { timeout_ms: 5 }, cols: 7 };
  expect(settleRequest(parseRunRequest(wanted), HERE)).toMatchObject({
    env: { SECRET: 'x' },
    limits: { timeout_ms: 5 },
    cols: 7,
    rows: DEFAULTS.terminal.rows,
  });
});

test('an engine has a no-progress timeout, a command has none', () => {
  const limits = (wanted: object) => settleRequest(parseRunRequest(wanted), HERE).limits.no_progress_timeout_ms;
  expect(limits({ command: ['true'] })).toBeNull();
  expect(limits({ engine: 'codex', prompt: 'x' })).toBe(DEFAULTS.engines.no_progress_timeout_ms);
  expect(limits({ engine: 'codex', prompt: 'x', limits: { no_progress_timeout_ms: null } })).toBeNull();
});

test.each<[object, string]>([
  [{ command: ['true'], env: { 'A-B': '1' } }, 'env'],
  [{ engine: 'codex', prompt: 'x', model: 'a b' }, 'model'],
  [{ command: ['true'], cwd: 'relative' }, 'cwd'],
  [{ command: ['é'.repeat(100_000)] }, 'command.0'],
])('a refusal names the field: %#', (wanted, field) => {
  expect(() => parseRunRequest(wanted)).toThrow(
    expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringMatching(`^${field}\\b`) }),
  );
});

test('a shown request contains names of variables, hashes of files and no secrets', () => {
  const request = settleRequest(
    parseRunRequest({
      engine: 'codex',
      prompt: 'say hunter2 twice: hunter2',
      engine_args: ['--key=hunter2'],
      env: { KEY: 'hunter2' },
      files: [{ path: 'a.txt', text: 'hunter2' }],
      auto_reply: { after_ms: 1, text: 'hunter2' },
    }),
    HERE,
  ) satisfies SettledRequest;
  const shown = shownRequest(request, (text) => text.replaceAll('hunter2', '*******'));
  expect(shown).toMatchObject({ env: ['KEY', 'LANG', 'PATH'], files: [{ path: 'a.txt', bytes: 7 }] });
  expect(JSON.stringify(shown)).not.toContain('hunter2');
});

describe('keys in the .env of the folder', () => {
  const source = { kind: 'env_file', name: '.env', line: 1, col: 1 } as const;
  const keys = (value: string | null) =>
    ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY'].map((name) => ({
      name,
      value: value && `${value}-${name}`,
      folder: '/src/app',
      sha256: 'a'.repeat(64),
      source,
    }));
  const settle = (wanted: object, value: string | null, from: 'command_line' | 'request' = 'command_line') =>
    settleRequest(parseRunRequest(wanted), { ...HERE, settings: [], envFileKeys: keys(value) }, from);
  const codex = { engine: 'codex', prompt: 'x' };

  test('reach the engine that takes them, and the record names them', () => {
    const { env, settings } = settle(codex, 'sk');
    expect(env).toMatchObject({ OPENAI_API_KEY: 'sk-OPENAI_API_KEY' });
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
    const sha256 = 'a'.repeat(64);
    expect(settings).toEqual([{ from: 'workspace_trusted', file: '.env', sha256, keys: ['OPENAI_API_KEY'] }]);
    expect(settle({ engine: 'claude', prompt: 'x' }, 'sk').env).not.toHaveProperty('OPENAI_API_KEY');
    expect(settle({ command: ['env'] }, 'sk')).toMatchObject({ env: { PATH: '/bin', LANG: 'C' }, settings: [] });
  });

  test('of an untrusted folder are recorded as ignored', () => {
    const { env, settings } = settle(codex, null);
    expect(env).not.toHaveProperty('OPENAI_API_KEY');
    expect(settings).toEqual([{ from: 'workspace_ignored', file: '.env', keys: ['OPENAI_API_KEY'] }]);
  });

  test('are overridden by those of the caller and of the request', () => {
    const own = { ...HERE, env: { ...HERE.env, OPENAI_API_KEY: 'mine' }, settings: [], envFileKeys: keys('sk') };
    expect(settleRequest(parseRunRequest(codex), own, 'command_line')).toMatchObject({
      env: { OPENAI_API_KEY: 'mine' },
      settings: [],
    });
    const said = { ...codex, env: { OPENAI_API_KEY: 'said' } };
    expect(settle(said, 'sk')).toMatchObject({ env: { OPENAI_API_KEY: 'said' }, settings: [] });
  });

  test('of the server’s folder do not apply to runs elsewhere', () => {
    expect(settle(codex, 'sk', 'request')).toMatchObject({ settings: [] });
    expect(settle(codex, 'sk', 'request').env).not.toHaveProperty('OPENAI_API_KEY');
    expect(settle({ ...codex, cwd: '/src/app' }, 'sk', 'request').env).toHaveProperty('OPENAI_API_KEY');
  });
});
