import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCString, readCString } from '../../../src/recording/trace/c-string.ts';

/** Encodes bytes like strace: short octal, unless the next character is an octal digit. */
function encodeCString(bytes: Uint8Array): string {
  const letters: Record<number, string> = { 9: 't', 10: 'n', 11: 'v', 12: 'f', 13: 'r', 34: '"', 92: '\\' };
  return Array.from(bytes, (byte, at) => {
    if (letters[byte] !== undefined) return `\\${letters[byte]}`;
    if (byte >= 0x20 && byte < 0x7f) return String.fromCharCode(byte);
    const next = bytes[at + 1] ?? 0;
    const isDigitNext = next >= 0x30 && next <= 0x37;
    return `\\${byte.toString(8).padStart(isDigitNext ? 3 : 1, '0')}`;
  }).join('');
}

describe('decodeCString', () => {
  test.each([
    ['plain', 'plain'],
    ['\\n\\t\\v\\f\\r\\\\\\"\\a\\b\\e', '\n\t\v\f\r\\"\x07\x08\x1b'],
    ['\\0\\1\\12\\177', '\0\x01\n\x7f'],
    ['\\0001', '\x001'],
    ['\\1012', 'A2'],
    ['\\18', '\x018'],
    ['\\777', '?7'],
    ['\\x41\\x0a\\xfF', 'A\n\xff'],
    ['\\x4', '\x04'],
    ['\\xyz', 'xyz'],
    ['\\q', 'q'],
    ['end\\', 'end\\'],
    ['', ''],
  ])('%j is %j', (text, expected) => {
    expect(decodeCString(text).toString('latin1')).toBe(expected);
  });

  test('decodes any bytes encoded like strace', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect([...decodeCString(encodeCString(bytes))]).toEqual([...bytes]);
      }),
    );
  });

  test('decodes any bytes encoded in hexadecimal', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const text = Array.from(bytes, (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
        expect([...decodeCString(text)]).toEqual([...bytes]);
      }),
    );
  });

  test('takes any text without failing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void decodeCString(text)));
  });
});

describe('readCString', () => {
  test('ends at the quote that is not escaped', () => {
    expect(readCString('"a\\"b\\\\", 5', 0)).toEqual({ bytes: Buffer.from('a"b\\'), truncated: false });
  });

  test('reports a truncated string', () => {
    expect(readCString('"abc"..., 70', 0)).toEqual({ bytes: Buffer.from('abc'), truncated: true });
  });

  test('is null for an unterminated string', () => {
    expect(readCString('"abc\\"', 0)).toBeNull();
  });

  test('reads any quoted string', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const read = readCString(`x"${encodeCString(bytes)}"..., 1`, 1);
        expect(read && [...read.bytes]).toEqual([...bytes]);
      }),
    );
  });
});
