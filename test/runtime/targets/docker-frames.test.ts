import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DockerFrame, DockerFrames } from '../../../src/runtime/targets/docker-frames.ts';

const frameArbitrary = fc.record({
  stream: fc.constantFrom('stdout' as const, 'stderr' as const),
  bytes: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

test('both streams are complete, however the frames are split', () => {
  fc.assert(
    fc.property(fc.array(frameArbitrary), fc.array(fc.integer({ min: 1, max: 30 })), (frames, cuts) => {
      const splitter = new DockerFrames();
      const parts = cut(Buffer.concat(frames.map(encode)), cuts).flatMap((piece) => splitter.push(piece));
      for (const stream of ['stdout', 'stderr'] as const) expect(joined(parts, stream)).toEqual(joined(frames, stream));
    }),
  );
});

function encode({ stream, bytes }: DockerFrame): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === 'stdout' ? 1 : 2;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

function cut(bytes: Buffer, lengths: number[]): Buffer[] {
  const pieces: Buffer[] = [];
  let from = 0;
  for (const length of lengths) {
    pieces.push(bytes.subarray(from, from + length));
    from += length;
  }
  return [...pieces, bytes.subarray(from)];
}

function joined(frames: DockerFrame[], wanted: DockerFrame['stream']): Buffer {
  return Buffer.concat(frames.filter(({ stream }) => stream === wanted).map(({ bytes }) => bytes));
}
