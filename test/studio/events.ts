import { parseRaspEvent, RASP_VERSION, type RaspEvent, type RaspType } from '../../src/protocol/index.ts';

/** Type, data, and the attempt if it is not the first. */
type EventSpec = [type: RaspType, data: unknown, attempt?: number];

const START = Date.parse('2026-11-15T08:00:00.000Z');

/** Events as in a run's file, 100 ms apart. */
export function eventsOf(list: readonly EventSpec[]): RaspEvent[] {
  return list.map(([type, data, attempt = 1], index) =>
    parseRaspEvent({
      protocol_version: RASP_VERSION,
      run_id: '20261115T080000-demo-0123abcd',
      seq: index + 1,
      ts: new Date(START + index * 100).toISOString(),
      attempt_number: attempt,
      source: { engine: 'demo', parser: 'demo_ndjson', stream: 'stdout', confidence: 0.95 },
      event: { category: type.slice(0, type.indexOf('.')), type },
      data,
      correlation: {},
      raw_ref: null,
      chain: '0'.repeat(64),
    }),
  );
}
