import fs from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Chunk, type ChunkIndex, openChunkIndex } from '../../src/record/chunk-index.ts';
import { openRecordFile, readChunks } from '../../src/recording/index.ts';
import { blobFile } from '../../studio/source/archive/archive-files.ts';
import { record, START, type Step, startRecording, temporaryFolder } from '../recording/recording.ts';
import { proofSize } from '../support/proof-size.ts';
import { openFiles } from '../support/tacho.ts';

/** Queries the index in Node and in a page, which must agree, and the sequential reader. */
async function readIndex<T>(path: string, ask: (index: ChunkIndex) => Promise<T>): Promise<T> {
  const file = (await openRecordFile(path))!;
  try {
    const index = await openChunkIndex(file, 'chunks');
    expect(await index.read(0, index.length)).toEqual([...readChunks(path)]);
    const answer = await ask(index);
    expect(await ask(await openChunkIndex(blobFile(new Blob([fs.readFileSync(path)])), 'chunks'))).toEqual(answer);
    return answer;
  } finally {
    await file.close();
  }
}

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

describe('a chunk index', () => {
  test('gives the same answers as a full scan', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 50 }), async (steps) => {
        const recording = startRecording();
        record(recording, steps);
        recording.recorder.close();
        let time = START * 1000;
        const ends = { input: 0, a: 0, b: 0 };
        const model = steps.flatMap((one): Chunk[] => {
          time += one.wait;
          if (one.kind === 'flush') return [];
          const length = one.kind === 'resize' ? one.cols * 65_536 + one.rows : one.bytes.length;
          if (one.kind !== 'resize') ends[one.kind] += length;
          return [{ time, source: one.kind, length, ends: { ...ends } }];
        });
        await readIndex(recording.pathOf('chunks'), async (index) => {
          expect(await index.read(0, index.length)).toEqual(model);
          for (const [position, chunk] of model.entries()) expect(await index.at(position)).toEqual(chunk);
          for (const source of ['input', 'a', 'b'] as const) {
            for (let offset = 0; offset <= ends[source]; offset++) {
              const first = model.findIndex((chunk) => chunk.ends[source] > offset);
              const found = await index.firstWhere((chunk) => chunk.ends[source] > offset);
              expect(found).toBe(first < 0 ? model.length : first);
            }
          }
        });
      }),
      { numRuns: proofSize({ small: 10, full: 40 }) },
    );
  });

  test('ignores a record truncated anywhere', async () => {
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
      await readIndex(file, async (index) => {
        expect(index.length).toBe(Math.max(0, Math.floor(size / 32) - 1));
        expect((await index.read(0, 99)).map(({ length }) => length)).toEqual([1, 2, 3].slice(0, index.length));
      });
    }
  });

  test('is read from any position, over several read blocks', async () => {
    const recording = startRecording();
    for (let count = 0; count < 5000; count++) recording.recorder.output(count % 2 === 0 ? 'a' : 'b', Buffer.from('x'));
    recording.recorder.close();
    await readIndex(recording.pathOf('chunks'), async (index) => {
      const all = await index.read(0, 5000);
      expect(all.map(({ ends }) => ends.a + ends.b)).toEqual(Array.from({ length: 5000 }, (_, at) => at + 1));
      expect(await index.read(4998, 9999)).toHaveLength(2);
      expect(await index.read(5000, 9999)).toEqual([]);
    });
  });

  test('of another format is refused', async () => {
    const path = `${temporaryFolder()}/chunks.1.idx`;
    for (const content of ['TACHO-CHUNKS/2\n', 'x', 'something else entirely, and longer than a header is']) {
      fs.writeFileSync(path, content);
      const refusal = expect.objectContaining({ code: 'FORMAT_TOO_NEW' });
      await expect(readIndex(path, async () => null)).rejects.toEqual(refusal);
      expect(() => [...readChunks(path)]).toThrow(refusal);
      expect(openFiles()).not.toContain(path);
    }
  });
});
