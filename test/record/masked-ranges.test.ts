import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MaskedRanges } from '../../src/record/index.ts';

const LENGTH = 60;
const spans = fc.array(
  fc.tuple(fc.nat({ max: LENGTH }), fc.nat({ max: 12 })).map(([from, length]) => ({ from, to: from + length })),
  { maxLength: 12 },
);
const bytes = Buffer.from(Array.from({ length: LENGTH }, (_, at) => 'abcdefghij'.charCodeAt(at % 10)));

test('ranges in any order, overlapping or not, mask each byte once', () => {
  fc.assert(
    fc.property(spans, fc.boolean(), fc.nat({ max: LENGTH }), fc.nat({ max: LENGTH }), (ranges, atOnce, one, other) => {
      const masked = new MaskedRanges(atOnce ? ranges : []);
      if (!atOnce) for (const range of ranges) masked.add(range);
      const [from, to] = [Math.min(one, other), Math.max(one, other)];
      const part = bytes.subarray(from, to);
      const expected = Buffer.from(part);
      for (const range of ranges) {
        for (let at = Math.max(range.from, from); at < Math.min(range.to, to); at++) expected[at - from] = 0x2a;
      }
      const before = part.toString();
      expect(masked.mask(part, from).toString()).toBe(expected.toString());
      expect(masked.count({ from, to })).toBe(expected.filter((byte) => byte === 0x2a).length);
      expect(part.toString()).toBe(before);
    }),
  );
});
