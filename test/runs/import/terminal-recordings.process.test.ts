import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Moment, playback, runFolderAt, verifyRun } from '../../../src/recording/index.ts';
import { openJournal } from '../../../src/runs/context.ts';
import type { ImportOutcome } from '../../../src/runs/import/import-run.ts';
import { reparseAttempt } from '../../../src/runs/replay/reparse.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { importFile, logFile, newContext, recorded } from './import-context.ts';

const START = Date.parse('2026-11-16T12:00:00.000Z');
const cast = (header: object, ...events: unknown[]) =>
  [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
const V2 = { version: 2, width: 100, height: 30, timestamp: START / 1000, env: { TERM: 'xterm' } };

function moments({ runDir }: ImportOutcome) {
  return [...playback(runFolderAt(runDir), 1)].map((moment: Moment) =>
    moment.kind === 'resize'
      ? [moment.time, 'resize', moment.cols, moment.rows]
      : [moment.time, moment.kind, moment.bytes.toString()],
  );
}

const damage = (outcome: ImportOutcome) =>
  recorded(outcome)
    .events.filter(({ data }) => (data as { code?: string }).code === 'IMPORT_DAMAGED')
    .map(({ data }) => [(data as { problem?: string }).problem, (data as { count?: number }).count]);

describe('an asciicast', () => {
  test('plays with its times, input and sizes, and verifies', async () => {
    const context = newContext();
    const file = logFile(
      cast(
        V2,
        [0.5, 'o', 'one\r\n'],
        [1, 'r', '120x40'],
        [1.25, 'i', 'y'],
        [2, 'm', 'marker'],
        [2.5, 'o', 'zwei ✓\r\n'],
      ),
    );
    const outcome = await importFile(file, { exit: { exit_code: 0, signal: null } }, context);
    expect(moments(outcome)).toEqual([
      [500_000, 'output', 'one\r\n'],
      [1_000_000, 'resize', 120, 40],
      [1_250_000, 'input', 'y'],
      [2_500_000, 'output', 'zwei ✓\r\n'],
    ]);
    const { meta, events, read } = recorded(outcome);
    expect(meta).toMatchObject({
      engine: 'text',
      started_at: '2026-11-16T12:00:00.000Z',
      ended_at: '2026-11-16T12:00:02.500Z',
      duration_ms: 2500,
      capture: { mode: 'merged', reason: 'imported', level: 'standard' },
    });
    const raw = events.filter(({ event }) => event.type === 'raw.pty');
    expect(raw.map(({ ts }) => ts)).toEqual(['2026-11-16T12:00:00.500Z', '2026-11-16T12:00:02.500Z']);
    expect(read('stdin.1.log').toString()).toBe('y');
    expect(read('pty-output.1.log').toString()).toMatch(/^Script started on 2026-11-16T12:00:00.000Z .*COLUMNS="100"/);
    expect(outcome).toMatchObject({ status: 'succeeded', coverage: 1 });
    const folder = runFolderAt(outcome.runDir);
    expect(await verifyRun(folder)).toMatchObject({ verdict: 'intact', problems: [] });
    expect(await reparseAttempt(folder, 1, openJournal(folder, context.config))).toMatchObject({ identical: true });
  });

  test('of version 3 has intervals, comments and an exit code', async () => {
    const header = { version: 3, term: { cols: 80, rows: 24, type: 'xterm' }, timestamp: START / 1000 };
    const lines = cast(header, [0.5, 'o', 'a'], [0.5, 'o', 'b'], [0.25, 'x', '3']).replace('[0.5', '# a comment\n[0.5');
    const outcome = await importFile(logFile(lines));
    expect(moments(outcome).map(([time]) => time)).toEqual([500_000, 1_000_000]);
    expect(outcome.completion).toMatchObject({ state: 'interrupted', reason_code: 'EXIT_NONZERO' });
    expect(recorded(outcome).meta.exit_code).toBe(3);
  });

  test('of version 1 is one document with delays, and ends at the time of the import', async () => {
    const document = {
      version: 1,
      width: 80,
      height: 24,
      duration: 1.5,
      command: 'ls',
      stdout: [
        [0.5, 'a'],
        [1, 'b'],
      ],
    };
    const before = Date.now();
    const outcome = await importFile(logFile(JSON.stringify(document, null, 2)));
    expect(moments(outcome)).toEqual([
      [500_000, 'output', 'a'],
      [1_500_000, 'output', 'b'],
    ]);
    const ended = Date.parse(recorded(outcome).meta.ended_at);
    expect(ended).toBeGreaterThanOrEqual(before - 1);
    expect(ended).toBeLessThanOrEqual(Date.now());
    expect(outcome.completion).toMatchObject({ state: 'unknown' });
  });

  test('of an engine is read by its parser', async () => {
    const lines = fs.readFileSync('test/fixtures/codex/tool/stdout.log', 'utf8').split(/(?<=\n)/);
    const file = logFile(cast(V2, ...lines.map((line, index) => [index, 'o', line.replace('\n', '\r\n')])));
    const outcome = await importFile(file);
    expect(outcome).toMatchObject({ completion: { reason_code: 'DONE_MARKER' }, sessionId: expect.any(String) });
    const { meta, events } = recorded(outcome);
    expect(meta.engine).toBe('codex');
    const call = events.find(({ event }) => event.type === 'tool.call.started');
    expect(Date.parse(call!.ts) - START).toBe(lines.findIndex((line) => line.includes('item.started')) * 1000);
  });

  test('that is damaged or cut off is imported as far as it goes, and says what is missing', async () => {
    const lines = cast(
      V2,
      [1, 'o', 'a'],
      [0.5, 'o', 'b'],
      ['x', 'o', 'c'],
      [2, 'r', 'wide'],
      [-1, 'o', 'd'],
      [1e300, 'o', 'e'],
    );
    const outcome = await importFile(logFile(`${lines}[3, "o", "cut o`));
    expect(moments(outcome)).toEqual([
      [1_000_000, 'output', 'a'],
      [1_000_000, 'output', 'b'],
    ]);
    expect(damage(outcome)).toEqual([
      ['time goes back', 1],
      ['not an event', 4],
      ['not a size', 1],
    ]);
    expect(await verifyRun(runFolderAt(outcome.runDir))).toMatchObject({ verdict: 'intact' });
  });
});

describe('a log of script', () => {
  function recordByScript(command: string, typed = ''): Record<'out' | 'timing' | 'in', string> {
    const folder = temporaryFolder();
    const at = (name: string) => path.join(folder, name);
    const words = ['-qef', '--log-in', at('in'), '--log-out', at('out'), '--log-timing', at('timing'), '-c', command];
    spawnSync('script', words, { input: typed, stdio: ['pipe', 'ignore', 'ignore'] });
    return { out: at('out'), timing: at('timing'), in: at('in') };
  }

  test('with its timing file plays what scriptreplay would, with input and exit code', async () => {
    const logs = recordByScript("sh -c 'echo one; read x; echo got $x; exit 3'", 'hello\n');
    const outcome = await importFile(logs.out, { timing: logs.timing, stdin: logs.in });
    const played = moments(outcome);
    const output = played.filter(([, kind]) => kind === 'output').map(([, , text]) => text);
    expect(output.join('')).toContain('one\r\n');
    expect(output.join('')).toMatch(/got hello\r\n$/);
    expect(played.filter(([, kind]) => kind === 'input').map(([, , text]) => text)).toEqual(['hello\n']);
    const { meta, read } = recorded(outcome);
    expect(meta).toMatchObject({ exit_code: 3, capture: { mode: 'merged', level: 'standard' } });
    expect(read('pty-output.1.log').toString()).not.toContain('Script done');
    expect(damage(outcome)).toEqual([]);
    expect(await verifyRun(runFolderAt(outcome.runDir))).toMatchObject({ verdict: 'intact' });
    const steps = fs.readFileSync(logs.timing, 'utf8').match(/^[IO] .*$/gm)!;
    const times = steps.map((step) => Math.round(Number(step.split(' ')[1]) * 1e6));
    expect(played.map(([time]) => time)).toEqual(
      times.map((_, at) => times.slice(0, at + 1).reduce((sum, one) => sum + one)),
    );
  });

  test('without one keeps its bytes, its beginning and its exit code', async () => {
    const logs = recordByScript("sh -c 'echo one; exit 0'");
    const outcome = await importFile(logs.out);
    const { meta, read } = recorded(outcome);
    expect(outcome).toMatchObject({ status: 'succeeded', completion: { reason_code: 'EXIT_ZERO' }, coverage: 1 });
    expect(read('pty-output.1.log').toString().split('\n').slice(1).join('\n')).toBe('one\r\n');
    const [, started] = /^Script started on ([^[]*) \[/.exec(fs.readFileSync(logs.out, 'utf8'))!;
    expect(meta.started_at).toBe(new Date(started!).toISOString());
  });

  test.each([
    [
      'classic times',
      '0.5 4\n0.25 4\n',
      [
        [500_000, 'output', 'one\n'],
        [750_000, 'output', 'two\n'],
      ],
      [],
    ],
    [
      'times of more output than there is',
      'O 0.5 4\nO 0.5 900\n',
      [
        [500_000, 'output', 'one\n'],
        [1_000_000, 'output', 'two\n'],
      ],
      [['the timing is of more output than there is', 1]],
    ],
    [
      'times of less output than there is',
      'O 0.5 4\n',
      [
        [500_000, 'output', 'one\n'],
        [500_000, 'output', 'two\n'],
      ],
      [['the timing is of less output than there is', 1]],
    ],
    [
      'times that are none',
      'O -1 4\nO abc 4\nnonsense\nO 0.5 8\nO 1e400 0\n',
      [[500_000, 'output', 'one\ntwo\n']],
      [['not a time', 4]],
    ],
    [
      'a new size of the terminal',
      'S 0.1 SIGWINCH ROWS=40 COLS=120\nS 0.1 SIGTERM\nO 0.3 8\n',
      [
        [100_000, 'resize', 120, 40],
        [500_000, 'output', 'one\ntwo\n'],
      ],
      [],
    ],
  ])('reads %s', async (_what, timing, expected, problems) => {
    const log = logFile(
      'Script started on 2026-11-16 12:00:00+00:00 [COMMAND="x" TERM="xterm" COLUMNS="80" LINES="24"]\none\ntwo\n',
    );
    const outcome = await importFile(log, { timing: logFile(timing, 'timing') });
    expect(moments(outcome)).toEqual(expected);
    expect(damage(outcome)).toEqual(problems);
  });
});
