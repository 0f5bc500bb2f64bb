import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { Coverage } from '../../../src/runs/attempt/coverage.ts';
import { growth, PROPORTIONAL } from '../../support/growth.ts';

const range: fc.Arbitrary<ByteRange> = fc
  .tuple(
    fc.constantFrom('stdout' as const, 'stderr' as const, 'pty' as const, 'stdin' as const),
    fc.nat({ max: 40 }),
    fc.nat({ max: 12 }),
  )
  .map(([stream, byte_from, length]) => ({ attempt_number: 1, stream, byte_from, byte_to: byte_from + length }));

test('every byte that an event refers to is counted once, in any order of events', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(range, fc.array(range, { minLength: 1, maxLength: 4 }), fc.constant(null)), { maxLength: 25 }),
      (refs) => {
        const coverage = new Coverage();
        const bytes = new Set<string>();
        for (const ref of refs) {
          coverage.add(ref);
          for (const { stream, byte_from, byte_to } of [ref ?? []].flat()) {
            for (let byte = byte_from; byte < byte_to; byte++) bytes.add(`${stream} ${byte}`);
          }
          expect(coverage.bytes()).toBe(bytes.size);
        }
      },
    ),
  );
});

test('memory grows with the number of gaps, not of events', () => {
  const add = (events: number) => {
    const coverage = new Coverage();
    for (let at = 0; at < events; at++) {
      coverage.add({
        attempt_number: 1,
        stream: at % 2 === 0 ? 'stdout' : 'stderr',
        byte_from: at * 10,
        byte_to: at * 10 + 20,
      });
    }
    expect(coverage.bytes()).toBe(events * 20);
  };
  expect(growth(20_000, add)).toBeLessThan(PROPORTIONAL);
});
