import { describe, expect, test } from 'vitest';
import { fsDiffSchema } from '../../../../src/protocol/index.ts';
import { readForeignDiff } from '../../../../src/runs/import/folder/foreign-diff.ts';
import { NO_META, promptOf, readForeignMeta } from '../../../../src/runs/import/folder/foreign-meta.ts';

describe('readForeignMeta', () => {
  test('reads both spellings', () => {
    const camel = {
      agent: 'codex',
      command: 'codex',
      args: ['exec', 'fix it'],
      exitCode: 0,
      signal: null,
      startedAt: '2026-11-16T12:00:00.000Z',
      endedAt: '2026-11-16T12:01:00.000Z',
      completion: { state: 'completed', reasonCode: 'DONE_MARKER' },
    };
    const expected = {
      engine: 'codex',
      exit: { exit_code: 0, signal: null },
      startedAt: Date.parse(camel.startedAt),
      endedAt: Date.parse(camel.endedAt),
      command: ['codex', 'exec', 'fix it'],
      mode: null,
      completion: { state: 'completed', reason_code: 'DONE_MARKER' },
    };
    expect(readForeignMeta(JSON.stringify(camel))).toEqual(expected);
    const snake = {
      engine: 'codex',
      launch: { command: ['codex', 'exec', 'fix it'], execution_mode: 'interactive' },
      exit_code: 0,
      started_at: '2026-11-16T12:00:00.000000',
      finished_at: '2026-11-16 12:01:00',
      completion: { state: 'completed', reason_code: 'DONE_MARKER' },
    };
    expect(readForeignMeta(JSON.stringify(snake))).toEqual({ ...expected, mode: 'interactive' });
  });

  test('takes what it does not understand as not said', () => {
    const odd = {
      engine: 7,
      exit_code: 'zero',
      signal: {},
      startedAt: 'yesterday',
      command: { a: 1 },
      args: [1],
      launch: 'x',
      completion: { state: 'great' },
    };
    expect(readForeignMeta(JSON.stringify(odd))).toEqual(NO_META);
    expect(readForeignMeta('[]')).toBeNull();
    expect(readForeignMeta('{"engine": "codex"')).toBeNull();
    const reason = readForeignMeta('{"completion":{"state":"interrupted","reason_code":"no \\u001b[31m code"}}');
    expect(reason!.completion).toEqual({ state: 'interrupted', reason_code: 'IMPORTED' });
  });

  test('knows a signal from an exit code', () => {
    expect(readForeignMeta('{"exitCode":null,"signal":"SIGTERM"}')!.exit).toEqual({
      exit_code: null,
      signal: 'SIGTERM',
    });
    expect(readForeignMeta('{"exitCode":300}')!.exit).toBeNull();
  });
});

test.each([
  [['iflow', '--yolo', '-p', 'Hello'], 'Hello'],
  [['gemini', '--prompt=fix it', '--yolo'], 'fix it'],
  [['codex', 'exec', '--json', 'fix it'], 'fix it'],
  [['claude', '-p', '--verbose', 'fix it'], 'fix it'],
  [['codex', 'exec', '--json'], null],
  [['codex'], null],
  [['codex', 'exec', '--json', '--model', 'some-model'], null],
  [['codex', 'exec'], null],
  [[], null],
])('finds the prompt in %j', (command, prompt) => {
  expect(promptOf(command)).toBe(prompt);
});

describe('readForeignDiff', () => {
  test('reads lists of paths, and of files with their details', () => {
    const hash = 'a'.repeat(64);
    const diff = readForeignDiff(
      JSON.stringify({
        created: ['new.txt', { path: './full.txt', size: 3, mode: 0o100644, mtimeMs: 1.5, sha256: hash }],
        modified: [{ path: 'sub/old.txt', size: 3 }],
        deleted: ['gone.txt'],
      }),
    );
    expect(fsDiffSchema.parse(diff)).toMatchObject({
      created: [
        { path: 'new.txt', before: null, after: null },
        { path: 'full.txt', after: { size: 3, mtime_ns: '1500000', sha256: hash } },
      ],
      modified: [{ path: 'sub/old.txt', before: null, after: null }],
      deleted: [{ path: 'gone.txt', after: null }],
    });
  });

  test('leaves out paths that lead out of the workspace or into the record', () => {
    const created = [
      '/etc/passwd',
      '../up',
      'a/../../b',
      '.audit/meta.1.json',
      'nul\0',
      '',
      7,
      null,
      { path: 1 },
      'fine',
    ];
    expect(readForeignDiff(JSON.stringify({ created }))!.created.map(({ path }) => path)).toEqual(['fine']);
    const timeless = { path: 'odd', size: 1, mode: 1, mtimeMs: 1e306 };
    expect(readForeignDiff(JSON.stringify({ created: [timeless] }))!.created).toMatchObject([
      { path: 'odd', after: null },
    ]);
    expect(readForeignDiff('"none"')).toBeNull();
    expect(readForeignDiff('{"created": {}}')).toBeNull();
  });
});
