import { describe, expect, it } from 'vitest';
import { isText } from '../../../src/recording/snapshot/text-detection.ts';

describe('isText', () => {
  it.each([
    ['nothing', Buffer.alloc(0), true],
    ['ASCII', Buffer.from('plain\n'), true],
    ['UTF-8', Buffer.from('ünïcödé 文件 🙂'), true],
    ['a cut last character of 2 bytes', Buffer.from('aé').subarray(0, 2), true],
    ['a cut last character of 4 bytes', Buffer.from('a🙂').subarray(0, 4), true],
    ['nothing but a cut character', Buffer.from('🙂').subarray(0, 1), true],
    ['a NUL', Buffer.from('a\0b'), false],
    ['a NUL behind the first 8 KiB', Buffer.from(`${'a'.repeat(8_192)}\0`), true],
    ['latin1', Buffer.from([0x61, 0xe9, 0x62]), false],
    ['a lone continuation byte at the end', Buffer.from([0x61, 0x80]), false],
    ['an invalid byte before a cut character', Buffer.from([0xff, 0x61, 0xc3]), false],
    ['an overlong sequence', Buffer.from([0xc0, 0xaf]), false],
  ])('%s', (_name, bytes, expected) => {
    expect(isText(bytes)).toBe(expected);
  });
});
