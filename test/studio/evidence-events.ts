import type { RaspData, RaspEvent, RaspType, RawRef } from '../../src/protocol/index.ts';
import { foldEvents, type RunModel } from '../../src/record/index.ts';

type Given<T extends RaspType> = {
  type: T;
  data: RaspData<T>;
  /** Milliseconds since the start of the run. */
  at?: number;
  attempt?: number;
  confidence?: number;
  stream?: RaspEvent['source']['stream'];
  correlation?: RaspEvent['correlation'];
  raw_ref?: RawRef;
};

/** An event for a test; `runOf` assigns its position. */
export function event<T extends RaspType>(given: Given<T>): RaspEvent {
  const { type, data, at = 0, attempt = 1, confidence = 1, stream = null, correlation = {}, raw_ref = null } = given;
  return {
    protocol_version: 'rasp/1.0',
    run_id: 'run',
    seq: 1,
    ts: new Date(at).toISOString(),
    attempt_number: attempt,
    source: { engine: 'demo', parser: 'demo_ndjson', stream, confidence },
    event: { category: type.split('.')[0], type },
    data,
    correlation,
    raw_ref,
    chain: '0'.repeat(64),
  } as RaspEvent;
}

export function runOf(...events: RaspEvent[]): RunModel {
  return foldEvents(events.map((one, index) => ({ ...one, seq: index + 1 })));
}

export function bytes(from: number, to: number, stream: 'stdout' | 'stderr' = 'stdout', attempt = 1) {
  return { attempt_number: attempt, stream, byte_from: from, byte_to: to };
}
