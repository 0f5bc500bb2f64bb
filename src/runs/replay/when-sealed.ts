import { pollUntil } from '../../files/index.ts';
import type { Journal } from '../../journal/index.ts';
import { hasEnded, type RunRecord } from '../../protocol/index.ts';
import { type RunFolder, readRunRecord, readShownRecord } from '../../recording/index.ts';
import { readRun } from '../state/record-file.ts';
import { watchRecord } from '../state/watch-record.ts';
import { isLost } from './is-lost.ts';

/** Nobody tells that a recorder died. */
const LOOK_MS = 1000;
/** A server recovers a run whose recorder died within a few seconds; one that it cannot is not waited for. */
const LOOKS_WITHOUT_RECORDER = 10;

interface Patience {
  /** Somebody completes the record of a recorder that died; otherwise it is not waited for. */
  recovers: boolean;
  /** Gives up waiting. */
  signal?: AbortSignal;
}

/** Does what may have to read the whole event log, when it likes; the wait for the seal is not part of it. */
type Reader = (reading: () => Promise<RunRecord>) => Promise<RunRecord>;

/**
 * The record of a run whose last attempt is over, once that is sealed: between the last event and the seal stand the
 * hashes of its files. A run that is at work or waits for its turn is returned as it is.
 */
export async function whenSealed(
  folder: RunFolder,
  journal: Journal,
  { read = (reading) => reading(), ...patience }: Patience & { read?: Reader },
): Promise<RunRecord> {
  const record = await read(() => readRun(folder, journal));
  return isOver(record) ? whenLeft(folder, record, patience) : record;
}

/** The record once nobody records the attempt any more that `record` tells of. */
export async function whenLeft(
  folder: RunFolder,
  record: RunRecord,
  { recovers, signal }: Patience,
): Promise<RunRecord> {
  if (record.live === null) return record;
  const { attempt } = record.live;
  let looks = 0;
  const look = (): RunRecord | null => {
    const now = readShownRecord(folder);
    // Read again: the recorder may have left between the two looks.
    looks = isLost(now, folder) && readShownRecord(folder).live !== null ? looks + 1 : 0;
    const inVain = looks > (recovers ? LOOKS_WITHOUT_RECORDER : 0);
    return now.live === null || now.live.attempt !== attempt || inVain ? now : null;
  };
  const left = await pollUntil(look, { everyMs: LOOK_MS, signal, watch: (changed) => watchRecord(folder, changed) });
  return left!;
}

/** The record once the program of its attempt was started, or nobody records it: before that there is no log of it. */
export async function whenStarted(folder: RunFolder): Promise<RunRecord> {
  const look = (): RunRecord | null => {
    const now = readRunRecord(folder);
    return now.live === null || now.live.child !== null || isLost(now, folder) ? now : null;
  };
  const started = await pollUntil(look, { everyMs: LOOK_MS, watch: (changed) => watchRecord(folder, changed) });
  return started!;
}

function isOver(record: RunRecord): boolean {
  return hasEnded(record) || record.status === 'waiting_user';
}
