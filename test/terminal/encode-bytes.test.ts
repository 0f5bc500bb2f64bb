import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeBytes, encodeBytes } from '../../src/terminal/encode-bytes.ts';

const encodingOf = (bytes: Buffer) => encodeBytes(bytes).encoding;

test('text is encoded as text, with any colours and characters', () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `\x1b[32m✓\x1b[39m\t"kept ${index}"\r\n`).join('');
  expect(encodeBytes(Buffer.from(lines))).toEqual({ data: lines, encoding: 'utf8' });
  expect(encodingOf(Buffer.from('\x1b[31mx'.repeat(1000)))).toBe('utf8');
  // Names that end with NUL, as from `find -print0`; any short output.
  expect(encodingOf(Buffer.from(`${'one-long-name/'.repeat(4)}\0`.repeat(100)))).toBe('utf8');
  expect(encodingOf(Buffer.from('name\0'.repeat(100)))).toBe('utf8');
});

test('binary bytes are encoded in base64, and so are those that JSON would make six times as long', () => {
  expect(encodingOf(Buffer.from([0x66, 0xff]))).toBe('base64');
  expect(encodingOf(Buffer.alloc(65_536))).toBe('base64');
  const numbers = Buffer.from(Uint32Array.from({ length: 16_384 }, (_, index) => index % 128).buffer);
  for (const length of [1024, 4000, 16_000, 65_536]) expect(encodingOf(numbers.subarray(0, length))).toBe('base64');
});

test('a requested encoding is used', () => {
  expect(encodeBytes(Buffer.alloc(2000), 'utf8')).toEqual({ data: '\0'.repeat(2000), encoding: 'utf8' });
  expect(encodeBytes(Buffer.from('hi'), 'base64')).toEqual({ data: 'aGk=', encoding: 'base64' });
});

test('any bytes survive the round trip', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'binary', maxLength: 500 }).map((text) => Buffer.from(text)),
    fc.constantFrom(Buffer.alloc(3000), Buffer.from('x'.repeat(3000))),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 4 }), (pieces) => {
      const bytes = Buffer.concat(pieces);
      expect(decodeBytes(encodeBytes(bytes)).equals(bytes)).toBe(true);
    }),
  );
});
