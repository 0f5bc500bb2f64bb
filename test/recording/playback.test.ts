import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Moment, playback } from '../../src/recording/index.ts';
import { readPtyHeader } from '../../src/recording/playback.ts';
import { HEADER, record, type Step, startRecording } from './recording.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 30 }).map((values) => Buffer.from(values));
const wait = fc.nat({ max: 1_000_000 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constantFrom('a' as const, 'b' as const, 'input' as const), bytes, wait }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.nat({ max: 65_535 }),
      rows: fc.nat({ max: 65_535 }),
      wait,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const), wait }) },
);

describe('playback', () => {
  test('plays all moments in order, each at its time since the start', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const recording = startRecording();
        record(recording, steps);
        recording.recorder.close();
        let time = 0;
        const expected = steps.flatMap((one): Moment[] => {
          time += one.wait;
          if (one.kind === 'flush') return [];
          if (one.kind === 'resize') return [{ kind: 'resize', time, cols: one.cols, rows: one.rows }];
          if (one.kind === 'input') return [{ kind: 'input', time, bytes: one.bytes }];
          return [{ kind: 'output', side: one.kind, time, bytes: one.bytes }];
        });
        expect([...playback(recording.folder, 1)]).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('closes its files, whether it is played to the end or not', () => {
    const recording = startRecording();
    record(recording, [
      { kind: 'a', bytes: Buffer.from('x'), wait: 1 },
      { kind: 'a', bytes: Buffer.from('y'), wait: 1 },
    ]);
    recording.recorder.close();
    const open = fs.readdirSync('/proc/self/fd').length;
    expect([...playback(recording.folder, 1)]).toHaveLength(2);
    for (const moment of playback(recording.folder, 1)) {
      expect(moment.kind).toBe('output');
      break;
    }
    expect(fs.readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(open);
  });

  test('refuses an attempt without times', () => {
    const recording = startRecording({ level: 'minimal' });
    recording.recorder.close();
    expect(() => [...playback(recording.folder, 1)]).toThrow(expect.objectContaining({ code: 'ATTEMPT_NOT_FOUND' }));
    expect(() => [...playback(recording.folder, 2)]).toThrow(expect.objectContaining({ code: 'ATTEMPT_NOT_FOUND' }));
  });

  test('plays the rest of a truncated record', () => {
    const recording = startRecording();
    record(
      recording,
      ['one', 'two', 'three'].map((text) => ({ kind: 'a' as const, bytes: Buffer.from(text), wait: 5 })),
    );
    recording.recorder.close();
    fs.truncateSync(recording.pathOf('pty'), recording.file('pty').length - 2);
    const played = [...playback(recording.folder, 1)].map((moment) =>
      moment.kind === 'output' ? moment.bytes.toString() : '',
    );
    expect(played).toEqual(['one', 'two', 'thr']);
  });
});

describe('the header of the merged log', () => {
  test.each(['simple', 'with "quotes" and [brackets]', 'TERM="x" COLUMNS="1" LINES="2"]', ''])(
    'returns the command %j',
    (command) => {
      const recording = startRecording({ header: { ...HEADER, command } });
      recording.recorder.close();
      expect(readPtyHeader(recording.folder, 1)).toEqual({ ...HEADER, command });
    },
  );

  test('that is unreadable counts as missing', () => {
    const recording = startRecording();
    recording.recorder.close();
    for (const content of [
      '',
      'Script started',
      'Script started on never [COMMAND="x" TERM="t" COLUMNS="1" LINES="1"]\n',
    ]) {
      fs.writeFileSync(recording.pathOf('pty'), content);
      expect(readPtyHeader(recording.folder, 1)).toBeNull();
    }
  });
});
