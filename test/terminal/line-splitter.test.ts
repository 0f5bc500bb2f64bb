import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter, TOO_LONG } from '../../src/terminal/line-splitter.ts';

const MAX = 16;

/** The expected result, computed in the simplest way. */
function expected(bytes: Buffer): (string | typeof TOO_LONG)[] {
  const lines = bytes.toString('latin1').split('\n');
  const rest = lines.pop()!;
  return [...lines, ...(rest.length > MAX ? [rest] : [])].map((line) => (line.length > MAX ? TOO_LONG : line));
}

test('the lines are the same however bytes are split, and too long lines are not kept', () => {
  const byte = fc.oneof(fc.constant(0x0a), fc.integer({ min: 0, max: 255 }));
  const pieces = fc.array(fc.array(byte, { maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(pieces, (cut) => {
      const splitter = new LineSplitter(MAX);
      const lines = cut.flatMap((piece) => splitter.push(piece));
      const whole = Buffer.concat(cut);
      expect(lines.map((line) => (line === TOO_LONG ? line : line.toString('latin1')))).toEqual(expected(whole));
      const rest = whole.subarray(whole.lastIndexOf(0x0a) + 1);
      expect(splitter.rest().toString('latin1')).toBe(rest.length > MAX ? '' : rest.toString('latin1'));
    }),
    { numRuns: 500 },
  );
});

test('a line that is too long is reported once, before it has ended', () => {
  const splitter = new LineSplitter(MAX);
  expect(splitter.push(Buffer.alloc(MAX, 'x'))).toEqual([]);
  expect(splitter.push(Buffer.from('x'))).toEqual([TOO_LONG]);
  expect(splitter.push(Buffer.alloc(1000, 'x'))).toEqual([]);
  expect(splitter.push(Buffer.from('x\nnext\n'))).toEqual([Buffer.from('next')]);
});
