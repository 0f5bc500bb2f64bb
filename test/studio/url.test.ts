import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Selection } from '../../studio/model/selection.ts';
import { formatUrl, parseUrl } from '../../studio/model/url.ts';
import { FIRST_VIEW, TABS, type View } from '../../studio/model/view.ts';

const whole = fc.nat({ max: 999_999_999 });
const selections: fc.Arbitrary<Selection | null> = fc.oneof(
  fc.constant(null),
  fc.record({ kind: fc.constant('event' as const), seq: fc.integer({ min: 1, max: 1e9 }) }),
  fc
    .record({
      attempt_number: fc.integer({ min: 1, max: 999 }),
      stream: fc.constantFrom('stdin' as const, 'stdout' as const, 'stderr' as const, 'pty' as const),
      byte_from: whole,
      length: whole,
    })
    .map(({ length, ...range }) => ({
      kind: 'bytes' as const,
      range: { ...range, byte_to: range.byte_from + length },
    })),
  fc.record({ kind: fc.constant('file' as const), path: fc.string({ minLength: 1, unit: 'grapheme' }) }),
  fc.record({ kind: fc.constant('approval' as const), id: fc.string({ minLength: 1, unit: 'grapheme' }) }),
);
const views: fc.Arbitrary<View> = fc
  .record({
    selection: selections,
    time: fc.option(whole),
    window: fc.option(fc.record({ from: whole, length: fc.integer({ min: 1, max: 1e9 }) })),
    following: fc.boolean(),
    tab: fc.constantFrom(...TABS),
    attempt: fc.option(fc.integer({ min: 1, max: 999 })),
    filter: fc.string({ unit: 'grapheme' }),
  })
  .map(({ window, ...view }) => ({
    ...view,
    // A view with a selection or a time does not follow.
    following: view.following && view.selection === null && view.time === null,
    window: window && { from: window.from, to: window.from + window.length },
  }));

describe('the address of a view', () => {
  test('round-trips: parsing the address of any view gives the same view', () => {
    fc.assert(
      fc.property(views, (view) => {
        const said = parseUrl(formatUrl(view));
        // Without a tab the selection decides.
        expect({ ...said, tab: formatUrl(view).includes('tab=') ? said.tab : view.tab }).toEqual(view);
      }),
    );
  });

  test('is empty for the first view, and short for others', () => {
    expect(formatUrl(FIRST_VIEW)).toBe('');
    const range = { attempt_number: 2, stream: 'stdout' as const, byte_from: 10_240, byte_to: 10_812 };
    expect(formatUrl({ ...FIRST_VIEW, following: false, tab: 'raw', selection: { kind: 'bytes', range } })).toBe(
      '?raw=stdout.2:10240-10812&tab=raw',
    );
  });

  test('with any content is parsed without an error', () => {
    const words = ['seq', 'raw', 't', 'from', 'to', 'tab', 'attempt', 'follow', 'file', 'approval', 'q'];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...words), fc.string())), (pairs) => {
        const view = parseUrl(`?${new URLSearchParams(pairs)}`);
        expect(parseUrl(formatUrl(view)).selection).toEqual(view.selection);
      }),
    );
  });

  test('prefers an event over bytes, and both over a time', () => {
    const view = parseUrl('?t=5&raw=stdout.1:0-4&seq=9');
    expect(view.selection).toEqual({ kind: 'event', seq: 9 });
    expect(parseUrl('?raw=stdout.1:0-4')).toMatchObject({ tab: 'raw', selection: { kind: 'bytes' } });
    expect(parseUrl('?raw=stdout.0:0-4&t=3')).toMatchObject({ selection: null, time: 3, following: false });
    expect(parseUrl('?raw=stdout.1:9-4').selection).toBeNull();
    expect(parseUrl('?from=9&to=4').window).toBeNull();
  });
});
