import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RaspEvent } from '../../src/protocol/index.ts';
import { Coverage } from '../../studio/model/bytes/coverage.ts';
import { bytes, event, runOf } from './evidence-events.ts';

const STDOUT = { stream: 'stdout', attempt: 1 } as const;
const delta = (from: number, to: number) =>
  event({ type: 'agent.message.delta', data: { message_id: 'm', text: 'x' }, raw_ref: bytes(from, to) });
const raw = (from: number, to: number) =>
  event({ type: 'raw.stdout', data: { text: 'x', lines: 1 }, raw_ref: bytes(from, to) });
const warning = (from: number, to: number) =>
  event({
    type: 'diagnostic.parser.warning',
    data: { code: 'UNPARSED_CONTENT', message: '', severity: 'warning' },
    raw_ref: bytes(from, to),
  });

function coverageOf(...events: RaspEvent[]): Coverage {
  const coverage = new Coverage();
  coverage.update(runOf(...events));
  return coverage;
}

test('clicking bytes selects their event, and of several the most specific one', () => {
  const final = event({
    type: 'agent.message.final',
    data: { message_id: 'm', text: 'xx' },
    raw_ref: [bytes(0, 10), bytes(20, 30), bytes(40, 60)],
  });
  const coverage = coverageOf(delta(0, 10), delta(20, 30), final, raw(30, 40), warning(30, 40));
  expect([0, 9, 20, 45, 35, 15].map((byte) => coverage.eventAt(STDOUT, byte))).toEqual([1, 1, 2, 3, 4, null]);
});

test('shows what became of every byte', () => {
  const coverage = coverageOf(delta(0, 10), raw(10, 30), warning(10, 30), warning(35, 40));
  expect(coverage.stretches(STDOUT, { from: 5, to: 45 })).toEqual([
    { from: 5, to: 10, fate: 'structured', seq: 1 },
    { from: 10, to: 30, fate: 'raw', seq: 2 },
    { from: 30, to: 35, fate: 'unclaimed', seq: null },
    { from: 35, to: 40, fate: 'structured', seq: 4 },
    { from: 40, to: 45, fate: 'unclaimed', seq: null },
  ]);
  expect(coverage.has({ stream: 'stderr', attempt: 1 })).toBe(false);
});

test('lines left out of the conversation are hidden echo', () => {
  const model = runOf(raw(0, 30));
  model.messages.push({
    protocol_version: 'fcmp/1.0',
    run_id: 'run',
    seq: 1,
    ts: model.events[0]!.ts,
    engine: 'demo',
    type: 'diagnostic.warning',
    data: { code: 'RAW_DUPLICATE_SUPPRESSED', message: '', severity: 'info', suppressed_count: 3 },
    meta: { attempt: 1, confidence: 1, rasp_seq: 1 },
    correlation: {},
    raw_ref: bytes(10, 20),
  });
  const coverage = new Coverage();
  coverage.update(model);
  expect(coverage.stretches(STDOUT, { from: 0, to: 30 }).map(({ fate, from }) => [fate, from])).toEqual([
    ['raw', 0],
    ['echo', 10],
    ['raw', 20],
  ]);
});

test('segments tile any requested range, in any order of events', () => {
  const span = fc.tuple(fc.nat(50), fc.nat(20)).map(([from, length]) => ({ from, to: from + length }));
  fc.assert(
    fc.property(fc.array(span), span, (claimed, asked) => {
      const coverage = coverageOf(...claimed.map(({ from, to }) => delta(from, to)));
      const stretches = coverage.stretches(STDOUT, asked);
      expect(stretches.reduce((at, { from, to }) => (from === at && to > from ? to : Number.NaN), asked.from)).toBe(
        asked.to,
      );
      for (const { from, fate } of stretches) {
        expect(fate !== 'unclaimed').toBe(claimed.some((one) => one.from <= from && one.to > from));
      }
    }),
  );
});
