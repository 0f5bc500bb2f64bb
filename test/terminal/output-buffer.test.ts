import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputBuffer } from '../../src/terminal/sessions/output-buffer.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 20_000 }), { maxLength: 20 });
const capacity = fc.integer({ min: 1, max: 30_000 });

test('a reader at any cursor gets exactly the buffered bytes and the exact gap', () => {
  fc.assert(
    fc.property(chunks, capacity, fc.nat(), fc.integer({ min: 1, max: 50_000 }), (pieces, most, at, maxBytes) => {
      const buffer = new OutputBuffer(most);
      for (const piece of pieces) buffer.append(piece);
      const all = Buffer.concat(pieces);
      const after = at % (all.length + 1);
      const kept = Math.max(0, all.length - most);
      const from = Math.max(after, kept);
      const { bytes, ...read } = buffer.readNow(after, maxBytes);
      expect(read).toEqual({
        from,
        next: Math.min(all.length, from + maxBytes),
        truncated_before: kept > after ? kept : null,
        closed: false,
      });
      expect(bytes.equals(all.subarray(from, from + maxBytes))).toBe(true);
    }),
  );
});

test('readers at different cursors that keep up get all bytes, however the stream is cut', () => {
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 5000 }), (pieces, maxBytes) => {
      const buffer = new OutputBuffer(20_000);
      const readers = [
        { after: 0, got: [] as Buffer[] },
        { after: 0, got: [] as Buffer[] },
      ];
      for (const piece of pieces) {
        buffer.append(piece);
        for (const reader of readers) {
          while (reader.after < buffer.end) {
            const { bytes, next, truncated_before } = buffer.readNow(reader.after, maxBytes);
            expect(truncated_before).toBeNull();
            reader.got.push(bytes);
            reader.after = next;
          }
        }
      }
      const all = Buffer.concat(pieces);
      for (const { got } of readers) expect(Buffer.concat(got).equals(all)).toBe(true);
    }),
  );
});

test('a reader at the end waits for the next bytes, the end of the stream, or its deadline', async () => {
  const buffer = new OutputBuffer(100);
  const first = buffer.read({ after: 0, maxBytes: 10, waitMs: 60_000 });
  buffer.append(Buffer.from('abc'));
  expect(await first).toMatchObject({ bytes: Buffer.from('abc'), next: 3, closed: false });
  const begun = performance.now();
  expect(await buffer.read({ after: 3, maxBytes: 10, waitMs: 30 })).toMatchObject({ next: 3, closed: false });
  expect(performance.now() - begun).toBeGreaterThan(25);
  const last = buffer.read({ after: 3, maxBytes: 10, waitMs: 60_000 });
  buffer.close();
  expect(await last).toMatchObject({ next: 3, closed: true });
  expect(await buffer.read({ after: 1, maxBytes: 1, waitMs: 60_000 })).toMatchObject({ next: 2, closed: false });
});

test('a cursor beyond the end is refused', () => {
  const buffer = new OutputBuffer(100);
  buffer.append(Buffer.from('abc'));
  expect(() => buffer.readNow(4, 1)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
});

test('memory stays at the capacity, and positions keep counting', () => {
  const buffer = new OutputBuffer(1000);
  const piece = Buffer.alloc(777, 'x');
  for (let count = 0; count < 1000; count++) buffer.append(piece);
  expect(buffer.end).toBe(777_000);
  expect(buffer.start).toBe(776_000);
});
