import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RaspDraft, RaspEvent } from '../../../src/protocol/index.ts';
import { compareEvents, type Difference } from '../../../src/runs/replay/compare-events.ts';
import { raspEvent } from '../../protocol/samples.ts';

/** The event about the n-th byte of a stream. */
function eventAt(n: number, changes: Record<string, unknown> = {}): RaspEvent {
  return raspEvent('raw.stdout', {
    seq: n + 1,
    data: { text: `line ${n}`, lines: 1 },
    raw_ref: { attempt_number: 1, stream: 'stdout', byte_from: n, byte_to: n + 1 },
    ...changes,
  });
}

/** As a parser returns it: without a position in the journal. */
function draftOf({
  protocol_version: _version,
  run_id: _run,
  seq: _seq,
  chain: _chain,
  ...draft
}: RaspEvent): RaspDraft {
  return draft as RaspDraft;
}

const row = (length: number) => Array.from({ length }, (_, n) => eventAt(n));

function compare(recorded: readonly RaspEvent[], now: readonly RaspEvent[], maxShown = 1000) {
  return compareEvents(streamed(recorded), now.map(draftOf), { maxShown, older: async () => null });
}

async function* streamed<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

const onlyRecorded = ({ event, seq, raw_ref }: RaspEvent): Difference => ({
  kind: 'only recorded',
  type: event.type,
  seq,
  raw_ref,
});
const onlyNow = ({ event, raw_ref }: RaspEvent): Difference => ({
  kind: 'only now',
  type: event.type,
  seq: null,
  raw_ref,
});

describe('two readings of the same bytes', () => {
  test('are identical if they differ only in their positions in the journal', async () => {
    const now = row(600).map((event) => ({ ...event, seq: event.seq + 7, chain: 'b'.repeat(64), run_id: 'another' }));
    expect(await compare(row(600), now)).toEqual({ differences: [], total: 0, events: 600 });
    expect(await compare([], [])).toEqual({ differences: [], total: 0, events: 0 });
  });

  test('report the changes in an event field by field', async () => {
    const now = row(5);
    now[2] = eventAt(2, { ts: '2026-11-15T09:00:00.000Z', data: { text: 'other', lines: 1 } });
    const { differences, total, events } = await compare(row(5), now);
    expect({ total, events }).toEqual({ total: 1, events: 5 });
    expect(differences).toEqual([
      {
        kind: 'changed',
        type: 'raw.stdout',
        seq: 3,
        raw_ref: eventAt(2).raw_ref,
        fields: {
          ts: { recorded: '2026-11-15T08:30:00.123Z', now: '2026-11-15T09:00:00.000Z' },
          data: { recorded: { text: 'line 2', lines: 1 }, now: { text: 'other', lines: 1 } },
        },
      },
    ]);
  });

  test.each([
    ['source', { source: { engine: 'text', parser: 'text', stream: 'stdout', confidence: 0.5 } }],
    ['correlation', { correlation: { session_id: 's' } }],
  ])('report a change of %s', async (field, changes) => {
    const now = row(3);
    now[1] = eventAt(1, changes);
    const { differences } = await compare(row(3), now);
    expect(differences.map(({ fields }) => Object.keys(fields!))).toEqual([[field]]);
  });

  test('are aligned again after events that only one of them has', async () => {
    const recorded = row(20);
    const now = row(20);
    const extra = [eventAt(100), eventAt(101), eventAt(102)];
    now.splice(8, 0, ...extra);
    expect((await compare(recorded, now)).differences).toEqual(extra.map(onlyNow));
    expect((await compare(now, recorded)).differences).toEqual(extra.map(onlyRecorded));
  });

  test('report both events where one was replaced', async () => {
    const now = row(4);
    now[1] = eventAt(1, { event: { category: 'raw', type: 'raw.stderr' } });
    const { differences } = await compare(row(4), now);
    expect(differences).toEqual([onlyRecorded(eventAt(1)), onlyNow(now[1]!)]);
  });

  test('report both events where two were swapped', async () => {
    const now = row(6);
    now.splice(2, 2, eventAt(3), eventAt(2));
    const { differences } = await compare(row(6), now);
    expect(differences).toEqual([onlyNow(eventAt(3)), onlyRecorded(eventAt(3))]);
  });

  test('report everything if one of them is empty', async () => {
    expect((await compare(row(3), [])).differences).toEqual(row(3).map(onlyRecorded));
    expect((await compare([], row(3))).differences).toEqual(row(3).map(onlyNow));
  });

  test('list the requested number of differences, and count all', async () => {
    const { differences, total } = await compare(row(50), [], 3);
    expect({ shown: differences.length, total }).toEqual({ shown: 3, total: 50 });
  });
});

describe('the differences', () => {
  type Edit = 'keep' | 'remove' | 'insert' | 'change' | 'replace';

  /** The other reading, and the expected differences. */
  function edit(recorded: readonly RaspEvent[], edits: readonly Edit[]) {
    const now: RaspEvent[] = [];
    const expected: unknown[] = [];
    for (const [n, event] of recorded.entries()) {
      const changed = eventAt(n, { data: { text: 'changed', lines: 1 } });
      const other = eventAt(10_000 + n);
      const does = edits[n] ?? 'keep';
      if (does === 'insert') now.push(other);
      if (does === 'keep' || does === 'insert') now.push(event);
      if (does === 'change') now.push(changed);
      if (does === 'replace') now.push(other);
      if (does === 'change') expected.push({ kind: 'changed', seq: event.seq });
      if (does === 'remove' || does === 'replace') expected.push({ kind: 'only recorded', seq: event.seq });
      if (does === 'insert' || does === 'replace') expected.push({ kind: 'only now', raw_ref: other.raw_ref });
    }
    return { now, expected };
  }

  const shown = (differences: readonly Difference[]) =>
    differences.map(({ kind, seq, raw_ref }) => (kind === 'only now' ? { kind, raw_ref } : { kind, seq }));
  const someEdit = fc.constantFrom<Edit>('remove', 'insert', 'change', 'replace');

  test('are exactly the edit, for a single edit anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.nat(), someEdit, async (length, place, one) => {
        const recorded = row(length);
        const edits: Edit[] = [];
        edits[place % length] = one;
        const { now, expected } = edit(recorded, edits);
        expect(shown((await compare(recorded, now)).differences)).toEqual(expected);
      }),
    );
  });

  test('are exactly the edits, for any number of edits', async () => {
    const edits = fc.array(fc.oneof({ weight: 3, arbitrary: fc.constant<Edit>('keep') }, someEdit), { maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(edits, async (all) => {
        const recorded = row(all.length);
        const { now, expected } = edit(recorded, all);
        const { differences, total } = await compare(recorded, now);
        expect(total).toBe(expected.length);
        expect(new Set(shown(differences).map(asText))).toEqual(new Set(expected.map(asText)));
      }),
    );
  });

  const asText = (difference: unknown) => JSON.stringify(difference);
});

describe('a comparison of long readings', () => {
  test('never buffers more than a window of either', async () => {
    let oldAhead = 0;
    let newAhead = 0;
    let most = 0;
    const note = () => {
      most = Math.max(most, Math.abs(oldAhead - newAhead));
    };
    async function* recorded() {
      for (let n = 0; n < 30_000; n++) {
        oldAhead++;
        note();
        yield eventAt(n);
      }
    }
    function* now() {
      for (let n = 0; n < 30_000; n++) {
        newAhead++;
        note();
        // A changed parser: every event differs for a while.
        yield draftOf(n > 5000 && n < 25_000 ? eventAt(n, { raw_ref: null }) : eventAt(n));
      }
    }
    const { total, events } = await compareEvents(recorded(), now(), { maxShown: 10, older: async () => null });
    expect({ total, events }).toEqual({ total: 2 * 19_999, events: 30_000 - 19_999 });
    expect(most).toBeLessThanOrEqual(256);
  });

  test('does not match events further apart than a window, and reports each of them', async () => {
    const recorded = row(400);
    const far = Array.from({ length: 300 }, (_, n) => eventAt(1000 + n));
    const { total } = await compare(recorded, [...far, ...recorded]);
    expect(total).toBeGreaterThan(300);
    const near = await compare(recorded, [...far.slice(0, 255), ...recorded]);
    expect(near.total).toBe(255);
  });
});
