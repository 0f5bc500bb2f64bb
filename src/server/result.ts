import { readRegularFile } from '../files/index.ts';
import type { Journal } from '../journal/index.ts';
import {
  asUnderstood,
  attemptFileNames,
  isSealed,
  type Meta,
  metaSchema,
  type RaspData,
  type RaspEvent,
  type RaspType,
  type RunRecord,
  type RunResult,
  readLeniently,
  TachoError,
} from '../protocol/index.ts';
import type { RunFolder } from '../recording/index.ts';
import { readAttemptResult, whenSealed } from '../runs/index.ts';
import { recordFile } from './locate-run.ts';
import type { EventSource } from './streams/event-source.ts';
import { parseLine } from './streams/parse-line.ts';

/** Enough events to include the reason why an attempt did not start. */
const LAST_EVENTS = 16;

/** The result of a run. Throws RUN_ACTIVE until it has ended. */
export async function readResult(folder: RunFolder, journal: Journal, source: EventSource): Promise<RunResult> {
  const record = await whenSealed(folder, journal, { recovers: true });
  if (!isSealed(record)) {
    throw new TachoError('RUN_ACTIVE', `the run has not ended: it is ${record.status}`, {
      facts: { status: record.status },
      fix: 'Follow it with GET /v1/runs/{id}/events/stream, which ends with the run.',
    });
  }
  const attempt = record.last?.attempt ?? record.attempt;
  const meta = readMeta(folder, attempt);
  const final = await eventAt(source, record.message_seq ?? null, 'agent.message.final');
  const failure = meta ? null : await lastFailure(source, record);
  const result = readAttemptResult(folder, attempt);
  return {
    run_id: record.run_id,
    status: record.status,
    attempt,
    message: final?.text ?? null,
    structured_payload: final?.structured_payload ?? null,
    skill: result?.skill ?? null,
    payload: result?.payload ?? null,
    payload_from: result?.payload_from ?? null,
    validity: result?.validity ?? { state: 'unchecked', violations: [] },
    artifacts: result?.artifacts ?? [],
    skipped_artifacts: result?.skipped_artifacts ?? [],
    repair_attempt: record.repair_attempt ?? null,
    exit_code: record.last?.exit_code ?? null,
    signal: record.last?.signal ?? null,
    completion: meta?.completion ?? null,
    error: meta ? meta.error : failure && errorOf(failure),
    filesystem: meta?.filesystem ?? null,
    usage: record.usage ?? meta?.usage ?? null,
    started_at: record.times?.started_at ?? meta?.started_at ?? null,
    ended_at: record.last?.ended_at ?? null,
    duration_ms: record.times?.working_ms ?? meta?.duration_ms ?? null,
  };
}

function errorOf({ code, message, fix }: RaspData<'diagnostic.runtime.warning'>): RunResult['error'] {
  return { code, message, ...(typeof fix === 'string' ? { fix } : {}) };
}

/** The record names the event, so only that one is read. */
async function eventAt<T extends RaspType>(
  source: EventSource,
  seq: number | null,
  type: T,
): Promise<RaspEvent<T>['data'] | null> {
  if (seq === null) return null;
  for await (const [line] of source.read(seq - 1)) {
    const event = line && asUnderstood(parseLine(line.bytes) as RaspEvent);
    return event?.event.type === type ? (event as RaspEvent<T>).data : null;
  }
  return null;
}

/** Why an attempt did not start; it has no meta file then. The reason is among the last events. */
async function lastFailure(
  source: EventSource,
  { head_seq: head = 0 }: RunRecord,
): Promise<RaspEvent<'diagnostic.runtime.warning'>['data'] | null> {
  let found: number | null = null;
  for await (const lines of source.read(Math.max(0, head - LAST_EVENTS))) {
    for (const line of lines) if (source.typeOf(line) === 'diagnostic.runtime.warning') found = line.seq;
  }
  const warning = await eventAt(source, found, 'diagnostic.runtime.warning');
  return warning?.severity === 'error' ? warning : null;
}

/** Null while the attempt is running, or if its recorder died. */
export function readMeta(folder: RunFolder, attempt: number): Meta | null {
  const file = recordFile(folder, attemptFileNames(attempt).meta);
  if (file === null) return null;
  try {
    const read = readLeniently(metaSchema, JSON.parse(readRegularFile(file)));
    if (!read.success) throw read.error;
    return read.data;
  } catch (cause) {
    throw new TachoError('RECORD_INCOMPLETE', `the meta file of attempt ${attempt} cannot be read`, {
      facts: { attempt },
      cause,
      fix: 'Check the record with POST /v1/runs/{id}/verify.',
    });
  }
}
