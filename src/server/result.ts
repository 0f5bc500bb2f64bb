import fs from 'node:fs';
import {
  asUnderstood,
  attemptFileNames,
  type Meta,
  metaSchema,
  type RaspEvent,
  type RaspType,
  type RunResult,
  readLeniently,
  TachoError,
} from '../protocol/index.ts';
import type { RunFolder } from '../recording/index.ts';
import { recordFile } from './locate-run.ts';
import { isOver, settledRecord } from './settled-record.ts';
import type { EventSource } from './streams/event-source.ts';
import { parseLine } from './streams/parse-line.ts';

/** What a run came to. Throws RUN_ACTIVE until it has ended. */
export async function readResult(folder: RunFolder, source: EventSource): Promise<RunResult> {
  const record = await settledRecord(folder);
  if (!isOver(record)) {
    throw new TachoError('RUN_ACTIVE', `the run has not ended: it is ${record.status}`, {
      facts: { status: record.status },
      fix: 'Follow it with GET /v1/runs/{id}/events/stream, which ends with the run.',
    });
  }
  const attempt = record.last?.attempt ?? record.attempt;
  const meta = readMeta(folder, attempt);
  const { final, failure } = await lastEvents(source, attempt);
  return {
    run_id: record.run_id,
    status: record.status,
    attempt,
    message: final?.text ?? null,
    structured_payload: final?.structured_payload ?? null,
    exit_code: record.last?.exit_code ?? null,
    signal: record.last?.signal ?? null,
    completion: meta?.completion ?? null,
    error: meta ? meta.error : failure && { code: failure.code, message: failure.message },
    filesystem: meta?.filesystem ?? null,
    usage: meta?.usage ?? null,
    started_at: meta?.started_at ?? null,
    ended_at: record.last?.ended_at ?? null,
    duration_ms: meta?.duration_ms ?? null,
  };
}

interface LastEvents {
  /** What the engine said last in the attempt. */
  final: RaspEvent<'agent.message.final'>['data'] | null;
  /** What kept an attempt from beginning; it has no meta then. */
  failure: RaspEvent<'diagnostic.runtime.warning'>['data'] | null;
}

async function lastEvents(source: EventSource, attempt: number): Promise<LastEvents> {
  const last = new Map<string, Buffer>();
  for await (const lines of source.read(0)) {
    for (const line of lines) last.set(source.typeOf(line), line.bytes);
  }
  const message = lastOf(last, 'agent.message.final');
  const warning = lastOf(last, 'diagnostic.runtime.warning');
  return {
    final: message?.attempt_number === attempt ? message.data : null,
    failure: warning?.data.severity === 'error' ? warning.data : null,
  };
}

function lastOf<T extends RaspType>(last: ReadonlyMap<string, Buffer>, type: T): RaspEvent<T> | null {
  const line = last.get(type);
  const event = line && asUnderstood(parseLine(line) as RaspEvent);
  return event?.event.type === type ? (event as RaspEvent<T>) : null;
}

/** Null while the attempt goes on, or when its recorder died. */
export function readMeta(folder: RunFolder, attempt: number): Meta | null {
  const file = recordFile(folder, attemptFileNames(attempt).meta);
  if (file === null) return null;
  try {
    const read = readLeniently(metaSchema, JSON.parse(fs.readFileSync(file, 'utf8')));
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
