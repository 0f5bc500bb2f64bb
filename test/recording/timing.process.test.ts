import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ptyHeaderBytes } from '../../src/recording/index.ts';
import { readPtyHeader } from '../../src/recording/playback.ts';
import { HEADER, record, type Step, startRecording, type TestRecording } from './recording.ts';

/** The output of util-linux's player at a thousand times the speed. */
function scriptreplay({ pathOf }: TestRecording, ...more: string[]): Buffer {
  const played = spawnSync('scriptreplay', ['-O', pathOf('pty'), '-T', pathOf('timing'), '-d', '100000', ...more]);
  expect([played.status, played.stderr.toString()]).toEqual([0, '']);
  // It adds a line feed at the end.
  expect(played.stdout.at(-1)).toBe(0x0a);
  return played.stdout.subarray(0, -1);
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 }).map((values) => Buffer.from(values));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('a' as const, 'b' as const),
      bytes,
      wait: fc.nat({ max: 2_000_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('input' as const), bytes, wait: fc.nat({ max: 2_000_000 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.nat({ max: 500 }),
      rows: fc.nat({ max: 500 }),
      wait: fc.nat({ max: 2_000_000 }),
    }),
  },
);

describe('scriptreplay', () => {
  test('prints exactly the merged bytes, also with input and window changes', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 20 }), (steps) => {
        const recording = startRecording();
        record(recording, steps);
        recording.recorder.close();
        const header = ptyHeaderBytes(recording.pathOf('pty'));
        const merged = recording.file('pty').subarray(header);
        expect(scriptreplay(recording)).toEqual(merged);
        expect(scriptreplay(recording, '-I', recording.pathOf('stdin'))).toEqual(merged);
      }),
      { numRuns: 15 },
    );
  });

  test.each(['short', 'x'.repeat(100_000), '中'.repeat(5000), 'two\nlines\r\nand \0 more', 'quoted "command" [here]'])(
    'reads the header of any command (%#)',
    (command) => {
      const recording = startRecording({ header: { ...HEADER, command } });
      record(recording, [{ kind: 'a', bytes: Buffer.from('hello'), wait: 10 }]);
      recording.recorder.close();
      expect(scriptreplay(recording).toString()).toBe('hello');
      expect(
        recording
          .file('timing')
          .toString()
          .split('\n')
          .filter((line) => line.startsWith('O ')),
      ).toEqual(['O 0.000010 5']);
      const header = readPtyHeader(recording.folder, 1)!;
      expect(header).toMatchObject({ startedAt: HEADER.startedAt, term: HEADER.term, cols: 80, rows: 24 });
      expect(header.command).not.toContain('\ufffd');
      expect(command.replaceAll(/[\r\n\0]+/g, ' ').startsWith(header.command)).toBe(true);
    },
  );

  test('gets the times of reading', () => {
    const recording = startRecording();
    record(recording, [
      { kind: 'a', bytes: Buffer.from('x'), wait: 1_234_567 },
      { kind: 'input', bytes: Buffer.from('yy'), wait: 1 },
      { kind: 'resize', cols: 100, rows: 30, wait: 60_000_000 },
      { kind: 'b', bytes: Buffer.from('zzz'), wait: 0 },
    ]);
    recording.recorder.close();
    expect(recording.file('timing').toString().trimEnd().split('\n').slice(5)).toEqual([
      'O 1.234567 1',
      'I 0.000001 2',
      'S 60.000000 SIGWINCH ROWS=30 COLS=100',
      'O 0.000000 3',
    ]);
    expect(scriptreplay(recording, '--maxdelay', '0.001').toString()).toBe('xzzz');
  });
});
