import { expect, test } from 'vitest';
import { MAX_ARGUMENT_BYTES, runRequestSchema } from '../../../src/protocol/index.ts';
import { plainRequest } from '../../../src/runs/request/plain-request.ts';

const command = ['true'];

/** The request that `tacho run` builds without options. */
const asBuilt = {
  command,
  cwd: undefined,
  environment: undefined,
  env: {},
  pass_env: [],
  capture: undefined,
  capture_reason: undefined,
  keep_trace: undefined,
  term: undefined,
  cols: undefined,
  rows: undefined,
  recording: {},
  limits: {},
};

test('a plain request gets the same result as from its schema', () => {
  for (const value of [
    { command },
    asBuilt,
    { ...asBuilt, cwd: '/', cols: 80, rows: 65_535 },
    { ...asBuilt, cwd: '/', environment: 'inherited' },
    { ...asBuilt, environment: 'isolated' },
    { command: ['', 'x'.repeat(MAX_ARGUMENT_BYTES), 'é'.repeat((MAX_ARGUMENT_BYTES - 1) / 2)] },
    { command: new Array(4096).fill('word') },
  ]) {
    expect(plainRequest(value), JSON.stringify(value).slice(0, 100)).toEqual(runRequestSchema.parse(value));
  }
});

test('the schema decides about every other request', () => {
  const refused: object[] = [
    { command: [] },
    { command: 'true' },
    { command: ['a\0b'] },
    { command: [1] },
    { command: new Array(4097).fill('word') },
    { command: ['x'.repeat(MAX_ARGUMENT_BYTES + 1)] },
    { command: ['é'.repeat(MAX_ARGUMENT_BYTES / 2 + 1)] },
    { command, cwd: 'relative' },
    { command, cwd: '/a\0b' },
    { command, cwd: `/${'x'.repeat(4096)}` },
    { command, cols: 0 },
    { command, rows: 65_536 },
    { command, cols: 1.5 },
    { command, cols: '80' },
    { command, env: [] },
    { command, environment: 'mine' },
    { engine: 'codex', prompt: 'x', environment: 'inherited' },
    { command, pass_env: {} },
    { command, recording: [] },
    { command, limits: null },
    { command, engine: 'codex', prompt: 'x' },
    { command, unknown: 1 },
    { command, constructor: 1 },
    { command: undefined },
    { cwd: '/' },
  ];
  for (const value of refused) {
    expect(plainRequest(value), JSON.stringify(value).slice(0, 100)).toBeNull();
    expect(runRequestSchema.safeParse(value).success, JSON.stringify(value).slice(0, 100)).toBe(false);
  }
  for (const value of [
    { command, term: 'xterm' },
    { command, env: { A: '1' } },
    { command, recording: { level: 'full' } },
    { engine: 'codex', prompt: 'x' },
  ]) {
    expect(plainRequest(value)).toBeNull();
    expect(runRequestSchema.safeParse(value).success).toBe(true);
  }
  for (const value of [null, undefined, 'true', 1, []]) expect(plainRequest(value)).toBeNull();
});
