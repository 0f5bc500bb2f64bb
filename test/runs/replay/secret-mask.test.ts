import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { OutputStream, Redactions } from '../../../src/protocol/index.ts';
import { createRecordedMask } from '../../../src/runs/replay/recorded-mask.ts';
import { type Mask, SecretMask, type Segment } from '../../../src/runs/replay/secret-mask.ts';
import { growth, PROPORTIONAL } from '../../support/growth.ts';

const STREAMS = ['stdout', 'stderr', 'pty'] as const;
const STAR = 0x2a;

interface Piece {
  stream: OutputStream;
  bytes: Buffer;
  time: number;
}

/** Few letters, so that secrets, their prefixes and their overlaps are frequent. */
const word = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom('a', 'b', 'c'), { minLength, maxLength }).map((letters) => letters.join(''));
const secrets = fc.array(word(1, 6), { minLength: 1, maxLength: 4 });
const pieces = fc
  .array(fc.tuple(fc.constantFrom(...STREAMS), word(0, 12), fc.nat({ max: 90 })), { maxLength: 25 })
  .map((steps) => {
    let time = 1000;
    return steps.map(([stream, text, wait]): Piece => {
      time += wait;
      return { stream, bytes: Buffer.from(text), time };
    });
  });

const named = (values: readonly string[]) => values.map((value, index) => ({ name: `SECRET_${index}`, value }));
const whole = (parts: readonly { stream: OutputStream; bytes: Buffer }[], stream: OutputStream) =>
  Buffer.concat(parts.filter((part) => part.stream === stream).map(({ bytes }) => bytes));

/** Every byte with its stream and time, in order. */
const byteByByte = (parts: readonly Piece[]) =>
  parts.flatMap(({ stream, bytes, time }) => Array.from(bytes, () => `${stream} ${time}`));

/** Which bytes belong to an occurrence of a secret, by brute force. */
function secretBytes(bytes: Buffer, values: readonly string[]): boolean[] {
  const marked = Array.from(bytes, () => false);
  for (const value of values) {
    for (let at = bytes.indexOf(value); at >= 0; at = bytes.indexOf(value, at + 1))
      marked.fill(true, at, at + value.length);
  }
  return marked;
}

function markedRanges(ranges: Redactions['ranges'], stream: OutputStream, length: number): boolean[] {
  const marked = Array.from({ length }, () => false);
  for (const range of ranges) {
    if (range.stream !== stream) continue;
    expect(range.byte_from).toBeLessThan(range.byte_to);
    expect(range.byte_to).toBeLessThanOrEqual(length);
    marked.fill(true, range.byte_from, range.byte_to);
  }
  return marked;
}

const blanked = (bytes: Buffer, marked: readonly boolean[]) => bytes.map((byte, at) => (marked[at] ? STAR : byte));

function play(mask: Mask, parts: readonly Piece[], between: (time: number) => Segment[] = () => []): Segment[] {
  const out: Segment[] = [];
  const keep = (segments: Segment[]) =>
    out.push(...segments.map((segment) => ({ ...segment, bytes: Buffer.from(segment.bytes) })));
  for (const { stream, bytes, time } of parts) {
    keep(between(time));
    keep(mask.push(stream, bytes, time));
  }
  keep(mask.release(Number.POSITIVE_INFINITY));
  return out;
}

describe('SecretMask', () => {
  test('masks every byte of every occurrence of every secret and no other, however the streams are cut', () => {
    fc.assert(
      fc.property(secrets, pieces, (values, parts) => {
        const mask = new SecretMask(named(values));
        const out = play(mask, parts);
        for (const stream of STREAMS) {
          const raw = whole(parts, stream);
          const expected = secretBytes(raw, values);
          expect(whole(out, stream)).toEqual(Buffer.from(blanked(raw, expected)));
          expect(markedRanges(mask.ranges, stream, raw.length)).toEqual(expected);
        }
        expect(byteByByte(out)).toEqual(byteByByte(parts));
        expect(mask.heldSince).toBeNull();
      }),
    );
  });

  test('keeps order and times, and reports exactly the masked ranges, when it stops waiting', () => {
    fc.assert(
      fc.property(secrets, pieces, fc.nat({ max: 200 }), (values, parts, patience) => {
        const mask = new SecretMask(named(values));
        const out = play(mask, parts, (time) => mask.release(time - patience));
        expect(byteByByte(out)).toEqual(byteByByte(parts));
        for (const stream of STREAMS) {
          const raw = whole(parts, stream);
          const claimed = markedRanges(mask.ranges, stream, raw.length);
          expect(whole(out, stream)).toEqual(Buffer.from(blanked(raw, claimed)));
          const secret = secretBytes(raw, values);
          for (const [at, marked] of claimed.entries()) if (marked) expect(secret[at]).toBe(true);
        }
      }),
    );
  });

  test('is reproduced exactly from its ranges, however the bytes are cut the second time', () => {
    fc.assert(
      fc.property(secrets, pieces, fc.nat({ max: 200 }), fc.nat({ max: 7 }), (values, parts, patience, size) => {
        const mask = new SecretMask(named(values));
        const live = play(mask, parts, (time) => mask.release(time - patience));
        const cut = parts.flatMap(({ stream, bytes, time }) =>
          size === 0
            ? [{ stream, bytes, time }]
            : Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => ({
                stream,
                bytes: bytes.subarray(index * size, (index + 1) * size),
                time,
              })),
        );
        const raw = Buffer.concat(cut.map(({ bytes }) => bytes)).toString();
        const replayed = play(createRecordedMask(mask.ranges), cut);
        for (const stream of STREAMS) expect(whole(replayed, stream)).toEqual(whole(live, stream));
        expect(byteByByte(replayed)).toEqual(byteByByte(parts));
        expect(Buffer.concat(cut.map(({ bytes }) => bytes)).toString(), 'the raw bytes stay as they are').toBe(raw);
      }),
    );
  });

  const masked = (values: readonly string[], ...chunks: readonly string[]) => {
    const mask = new SecretMask(named(values));
    const parts = chunks.map((chunk, index) => ({ stream: 'stdout' as const, bytes: Buffer.from(chunk), time: index }));
    return whole(play(mask, parts), 'stdout').toString();
  };

  test('masks the rest of a secret that begins with another one', () => {
    expect(masked(['hunter2', 'hunter2-and-more'], 'x hunter2', '-and-more y')).toBe(`x ${'*'.repeat(16)} y`);
    expect(masked(['hunter2', 'hunter2-and-more'], 'x hunter2', '-and-less y')).toBe(`x ${'*'.repeat(7)}-and-less y`);
  });

  test('masks a secret that contains another one', () => {
    expect(masked(['b12345', 'ab12345cd'], 'xab12345', 'cdy')).toBe(`x${'*'.repeat(9)}y`);
    expect(masked(['b12345', 'ab12345cd'], 'xab12345', 'cey')).toBe(`xa${'*'.repeat(6)}cey`);
  });

  test('masks two overlapping secrets, and a secret that overlaps itself', () => {
    expect(masked(['abcXYZ', 'XYZdef'], '-abcXYZdef-')).toBe(`-${'*'.repeat(9)}-`);
    expect(masked(['abcabc'], '-abcabc', 'abc-')).toBe(`-${'*'.repeat(9)}-`);
  });

  test('masks a multi-line value also with CR LF line endings from a terminal', () => {
    const key = '-----BEGIN KEY-----\nabcdef\n-----END KEY-----';
    const printed = key.replaceAll('\n', '\r\n');
    expect(masked([key], `a ${key} b`)).toBe(`a ${'*'.repeat(key.length)} b`);
    expect(masked([key], `a ${printed.slice(0, 25)}`, `${printed.slice(25)} b`)).toBe(
      `a ${'*'.repeat(printed.length)} b`,
    );
  });

  test('masks nothing and holds nothing back without secrets', () => {
    expect(masked([''], 'any', 'thing')).toBe('anything');
    const mask = new SecretMask([]);
    const bytes = Buffer.from('text');
    const [segment] = mask.push('stdout', bytes, 5);
    expect(segment).toEqual({ stream: 'stdout', bytes, time: 5, from: 0 });
    expect(segment!.bytes.buffer).toBe(bytes.buffer);
    expect(mask.heldSince).toBeNull();
  });

  test('holds back the beginning of a secret, and later bytes of other streams', () => {
    const mask = new SecretMask(named(['secret']));
    const text = (segments: Segment[]) => segments.map(({ stream, bytes }) => `${stream}:${bytes}`);
    expect(text(mask.push('stdout', Buffer.from('my sec'), 10))).toEqual(['stdout:my ']);
    expect(mask.heldSince).toBe(10);
    expect(text(mask.push('stderr', Buffer.from('other'), 20))).toEqual([]);
    expect(text(mask.push('stdout', Buffer.from('ond'), 30))).toEqual(['stdout:sec', 'stderr:other', 'stdout:ond']);
    expect(mask.heldSince).toBeNull();
  });

  test('releases only bytes that have waited long enough', () => {
    const mask = new SecretMask(named(['secret']));
    const text = (segments: Segment[]) => segments.map(({ bytes }) => bytes.toString());
    mask.push('stdout', Buffer.from('s'), 0);
    mask.push('stderr', Buffer.from('a secre'), 190);
    expect(text(mask.release(0))).toEqual(['s', 'a ']);
    expect(mask.heldSince).toBe(190);
    expect(text(mask.push('stderr', Buffer.from('t'), 195))).toEqual(['*****', '*']);
  });
});

describe('createRecordedMask', () => {
  test('masks ranges in any order, overlapping or not', () => {
    const range = fc.record({
      stream: fc.constantFrom(...STREAMS),
      byte_from: fc.nat({ max: 60 }),
      byte_to: fc.nat({ max: 60 }),
      name: fc.constant('N'),
    });
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), pieces, (ranges, parts) => {
        const valid = ranges.filter(({ byte_from, byte_to }) => byte_from <= byte_to);
        const before = structuredClone(valid);
        const out = play(createRecordedMask(valid), parts);
        for (const stream of STREAMS) {
          const raw = whole(parts, stream);
          const marked = Array.from(raw, (_, at) =>
            valid.some((r) => r.stream === stream && at >= r.byte_from && at < r.byte_to),
          );
          expect(whole(out, stream)).toEqual(Buffer.from(blanked(raw, marked)));
        }
        expect(valid).toEqual(before);
      }),
    );
  });

  test('does not check every range for every chunk', () => {
    const maskAll = (chunks: number) => {
      const ranges = Array.from({ length: chunks * 10 }, (_, index) => ({
        stream: 'stdout' as const,
        byte_from: index * 10,
        byte_to: index * 10 + 5,
        name: 'N',
      }));
      const mask = createRecordedMask(ranges);
      for (let chunk = 0; chunk < chunks; chunk++) mask.push('stdout', Buffer.alloc(100, 'x'), chunk);
    };
    expect(growth(1000, maskAll)).toBeLessThan(PROPORTIONAL);
  });
});
