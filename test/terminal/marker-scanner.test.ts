import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MarkerScanner } from '../../src/terminal/marker-scanner.ts';

/** Few different bytes, so that prefixes of the marker are frequent. */
const bytes = (maxLength: number) =>
  fc.array(fc.constantFrom(0x61, 0x62, 0x63), { maxLength }).map((values) => Buffer.from(values));

function cut(whole: Buffer, places: readonly number[]): Buffer[] {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].sort((one, other) => one - other);
  return [0, ...at].map((from, index) => whole.subarray(from, at[index] ?? whole.length));
}

describe('MarkerScanner', () => {
  test('passes on exactly the bytes before the marker, however the stream is cut', () => {
    const marker = fc.array(fc.constantFrom(0x61, 0x62, 0x63), { minLength: 1, maxLength: 6 }).map(Buffer.from);
    fc.assert(
      fc.property(
        marker,
        bytes(60),
        bytes(20),
        fc.array(fc.nat(), { maxLength: 12 }),
        (mark, before, after, places) => {
          const whole = Buffer.concat([before, mark, after]);
          const scanner = new MarkerScanner(mark);
          const passed = Buffer.concat(cut(whole, places).map((piece) => Buffer.from(scanner.push(piece))));
          // By chance the marker may occur earlier than where it was inserted.
          expect(passed).toEqual(whole.subarray(0, whole.indexOf(mark)));
          expect(scanner.found).toBe(true);
          expect(scanner.flush()).toEqual(Buffer.alloc(0));
          expect(scanner.push(mark)).toEqual(Buffer.alloc(0));
        },
      ),
    );
  });

  test('returns the held bytes if no marker comes', () => {
    fc.assert(
      fc.property(bytes(80), fc.array(fc.nat(), { maxLength: 12 }), (whole, places) => {
        const mark = Buffer.from('abcabd');
        fc.pre(!whole.includes(mark));
        const scanner = new MarkerScanner(mark);
        const passed = cut(whole, places).map((piece) => Buffer.from(scanner.push(piece)));
        expect(Buffer.concat([...passed, scanner.flush()])).toEqual(whole);
        expect(scanner.found).toBe(false);
      }),
    );
  });

  test('holds back only a possible prefix of the marker', () => {
    const scanner = new MarkerScanner(Buffer.from('marker'));
    expect(scanner.push(Buffer.from('output mar')).toString()).toBe('output ');
    expect(scanner.push(Buffer.from('ble')).toString()).toBe('marble');
    expect(scanner.push(Buffer.from('mmarke')).toString()).toBe('m');
    expect(scanner.push(Buffer.from('rest')).toString()).toBe('');
    expect(scanner.found).toBe(true);
  });

  test('copies the bytes it holds, because the reader’s buffer is reused', () => {
    const scanner = new MarkerScanner(Buffer.from('marker'));
    const buffer = Buffer.from('xxmark');
    expect(scanner.push(buffer).toString()).toBe('xx');
    buffer.fill('!');
    expect(scanner.push(Buffer.from('s')).toString()).toBe('marks');
  });
});
