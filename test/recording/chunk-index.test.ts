import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chunk, ChunkIndex } from '../../src/recording/chunk-index.ts';
import { record, START, type Step, startRecording, temporaryFolder } from './recording.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((values) => Buffer.from(values));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('a' as const, 'b' as const, 'input' as const),
      bytes,
      wait: fc.nat({ max: 40 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('resize' as const),
      cols: fc.nat({ max: 65_535 }),
      rows: fc.nat({ max: 65_535 }),
      wait: fc.nat({ max: 40 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('flush' as const), wait: fc.nat({ max: 40 }) }) },
);

describe('ChunkIndex', () => {
  test('answers as looking through everything would', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const recording = startRecording();
        record(recording, steps);
        recording.recorder.close();
        const index = ChunkIndex.open(recording.pathOf('chunks'));

        let time = START * 1000;
        const ends = { input: 0, a: 0, b: 0 };
        const byteTimes = { input: [] as number[], a: [] as number[], b: [] as number[] };
        const model = steps.flatMap((one): Chunk[] => {
          time += one.wait;
          if (one.kind === 'flush') return [];
          if (one.kind === 'resize')
            return [{ time, source: one.kind, length: one.cols * 65_536 + one.rows, ends: { ...ends } }];
          ends[one.kind] += one.bytes.length;
          byteTimes[one.kind].push(...Array<number>(one.bytes.length).fill(time));
          return [{ time, source: one.kind, length: one.bytes.length, ends: { ...ends } }];
        });
        expect([...index.chunks()]).toEqual(model);
        expect(index.length).toBe(model.length);
        for (const [position, chunk] of model.entries()) expect(index.at(position)).toEqual(chunk);
        for (const source of ['input', 'a', 'b'] as const) {
          for (let offset = 0; offset <= byteTimes[source].length; offset++) {
            expect(index.timeOfByte(source, offset)).toBe(byteTimes[source][offset] ?? null);
          }
        }
        for (let moment = START * 1000 - 1; moment <= time + 1; moment += 7) {
          const upTo = (source: 'input' | 'a' | 'b') => byteTimes[source].filter((at) => at <= moment).length;
          expect(index.bytesAtTime(moment)).toEqual({ input: upTo('input'), a: upTo('a'), b: upTo('b') });
        }
        index.close();
      }),
      { numRuns: 60 },
    );
  });

  test('leaves out a record that was cut short, wherever it was cut', () => {
    const recording = startRecording();
    record(
      recording,
      ['x', 'yy', 'zzz'].map((text) => ({ kind: 'a' as const, bytes: Buffer.from(text), wait: 1 })),
    );
    recording.recorder.close();
    const whole = recording.file('chunks');
    const file = `${temporaryFolder()}/chunks.1.idx`;
    for (let size = 0; size <= whole.length; size++) {
      fs.writeFileSync(file, whole.subarray(0, size));
      const index = ChunkIndex.open(file);
      expect(index.length).toBe(Math.max(0, Math.floor(size / 32) - 1));
      expect([...index.chunks()].map(({ length }) => length)).toEqual([1, 2, 3].slice(0, index.length));
      index.close();
    }
  });

  test('reads on from any place, over more records than it takes at a time', () => {
    const recording = startRecording();
    for (let count = 0; count < 5000; count++) recording.recorder.output(count % 2 === 0 ? 'a' : 'b', Buffer.from('x'));
    recording.recorder.close();
    const index = ChunkIndex.open(recording.pathOf('chunks'));
    expect([...index.chunks()].map(({ ends }) => ends.a + ends.b)).toEqual(
      Array.from({ length: 5000 }, (_, at) => at + 1),
    );
    expect([...index.chunks(4998)]).toHaveLength(2);
    expect([...index.chunks(5000)]).toEqual([]);
    index.close();
  });

  test('refuses what is not one', () => {
    const file = `${temporaryFolder()}/chunks.1.idx`;
    for (const content of ['TACHO-CHUNKS/2\n', 'x', 'something else entirely, and longer than a header is']) {
      fs.writeFileSync(file, content);
      const open = fs.readdirSync('/proc/self/fd').length;
      expect(() => ChunkIndex.open(file)).toThrow(expect.objectContaining({ code: 'FORMAT_TOO_NEW' }));
      expect(fs.readdirSync('/proc/self/fd').length).toBe(open);
    }
  });
});
