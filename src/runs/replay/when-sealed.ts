import { pollUntil } from '../../files/index.ts';
import type { Journal } from '../../journal/index.ts';
import { hasEnded, type RunRecord } from '../../protocol/index.ts';
import { type RunFolder, readRunRecord, readShownRecord } from '../../recording/index.ts';
import { readRun } from '../state/record-file.ts';
import { watchRecord } from '../state/watch-record.ts';
import { isLost } from './is-lost.ts';

/** The death of a recorder triggers no watch, so it needs polling. */
const POLL_INTERVAL_MS = 1000;
/** A server recovers a run within a few seconds after its recorder died; after this, recovery has failed. */
const MAX_POLLS_WITHOUT_RECORDER = 10;

interface WaitOptions {
  /** Whether another process recovers runs; otherwise a lost run is not waited for. */
  recovers: boolean;
  /** Stops waiting. */
  signal?: AbortSignal;
}

/**
 * Runs a read that may cover the whole event log, for example in turn with others; not used for the wait for the seal.
 */
type Reader = (reading: () => Promise<RunRecord>) => Promise<RunRecord>;

/**
 * The record of a run, after the seal if its last attempt has ended: hashing the files takes time between the last
 * event and the seal. A running or queued run is returned as it is.
 */
export async function whenSealed(
  folder: RunFolder,
  journal: Journal,
  { read = (reading) => reading(), ...options }: WaitOptions & { read?: Reader },
): Promise<RunRecord> {
  const record = await read(() => readRun(folder, journal));
  return isOver(record) ? whenLeft(folder, record, options) : record;
}

/** The record once the attempt in `record` is no longer being recorded. */
export async function whenLeft(
  folder: RunFolder,
  record: RunRecord,
  { recovers, signal }: WaitOptions,
): Promise<RunRecord> {
  if (record.live === null) return record;
  const { attempt } = record.live;
  let polls = 0;
  const poll = (): RunRecord | null => {
    const now = readShownRecord(folder);
    // Read again: the recorder may have finished between the two checks.
    polls = isLost(now, folder) && readShownRecord(folder).live !== null ? polls + 1 : 0;
    const givesUp = polls > (recovers ? MAX_POLLS_WITHOUT_RECORDER : 0);
    return now.live === null || now.live.attempt !== attempt || givesUp ? now : null;
  };
  const left = await pollUntil(poll, {
    everyMs: POLL_INTERVAL_MS,
    signal,
    watch: (changed) => watchRecord(folder, changed),
  });
  return left!;
}

/** The record once the attempt's program was started or its recorder is gone: before that there is no log. */
export async function whenStarted(folder: RunFolder): Promise<RunRecord> {
  const poll = (): RunRecord | null => {
    const now = readRunRecord(folder);
    return now.live === null || now.live.child !== null || isLost(now, folder) ? now : null;
  };
  const started = await pollUntil(poll, {
    everyMs: POLL_INTERVAL_MS,
    watch: (changed) => watchRecord(folder, changed),
  });
  return started!;
}

function isOver(record: RunRecord): boolean {
  return hasEnded(record) || record.status === 'waiting_user';
}
