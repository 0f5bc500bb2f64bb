import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SecretFinder } from '../../src/record/output/secret-finder.ts';

/** Few letters, so that values overlap, repeat and share prefixes. */
const text = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength, maxLength });
const values = fc.uniqueArray(text(1, 5), { minLength: 1, maxLength: 20 });

const finderOf = (all: readonly string[]) =>
  new SecretFinder(all.map((value) => ({ name: value, units: Buffer.from(value) })));

function placesOneByOne(value: string, given: string): [number, number][] {
  const places: [number, number][] = [];
  for (let at = given.indexOf(value); at >= 0; at = given.indexOf(value, at + 1)) {
    const last = places.at(-1);
    if (last && at <= last[1]) last[1] = at + value.length;
    else places.push([at, at + value.length]);
  }
  return places;
}

describe('a finder of many values', () => {
  test('finds the same as a search for each value', () => {
    fc.assert(
      fc.property(values, text(0, 60), (all, given) => {
        const found = finderOf(all).places(Buffer.from(given));
        for (const value of all) {
          const own = found.filter(({ name }) => name === value).map(({ from, to }) => [from, to]);
          expect(own, value).toEqual(placesOneByOne(value, given));
        }
        expect(found.map(({ from }) => from)).toEqual(found.map(({ from }) => from).sort((one, two) => one - two));
      }),
    );
  });

  test('finds the longest suffix that is a prefix of a value', () => {
    fc.assert(
      fc.property(values, text(0, 30), (all, given) => {
        const begins = (length: number) =>
          all.some((value) => value.length > length && value.startsWith(given.slice(given.length - length)));
        const lengths = Array.from({ length: given.length }, (_, index) => given.length - index);
        expect(finderOf(all).possibleStart(Buffer.from(given))).toBe(lengths.find(begins) ?? 0);
      }),
    );
  });
});
