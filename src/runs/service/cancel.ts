import { pollUntil } from '../../files/index.ts';
import { hasEnded, type RunRecord, TachoError } from '../../protocol/index.ts';
import { type RunFolder, readRunRecord } from '../../recording/index.ts';
import { quietly } from '../attempt/closing.ts';
import type { RunContext } from '../context.ts';
import { sendControl } from '../control/control-client.ts';
import { locateControl } from '../control/control-path.ts';
import { cancelWaiting } from '../replay/cancel-waiting.ts';
import { completeLostAttempt } from '../replay/complete-attempt.ts';
import { isLost } from '../replay/is-lost.ts';
import { isCancelRequested, removeCancelRequest, requestCancel } from '../request/cancel-request.ts';
import { watchLock, watchRecord } from '../state/watch-record.ts';
import { isOfOwnProgram } from './own-program.ts';

const WAIT_MS = 10_000;
const POLL_INTERVAL_MS = 250;

/**
 * Ends a run: a live one through its recorder, which still completes its record; a waiting one by an event. The request
 * is stored first, so that the run ends even if this process or the recorder's attempt fails. Returns once the recorder
 * has the request, or the run has ended.
 */
export async function cancelRun(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  const before = readRunRecord(folder);
  if (hasEnded(before)) return before;
  // A full disk must not prevent a cancel.
  await quietly(() => requestCancel(folder));
  let refused: unknown;
  // A run that is just starting or ending is briefly neither live nor waiting.
  const between = (error: unknown): null => {
    const known = error instanceof TachoError && (error.code === 'RUN_LOCKED' || error.code === 'RUN_NOT_LIVE');
    if (!known) throw error;
    refused = error;
    return null;
  };
  const record = await pollUntil(() => endNow(folder, context).catch(between), {
    everyMs: POLL_INTERVAL_MS,
    timeoutMs: WAIT_MS,
    watch: (changed) => watchBoth(folder, changed),
  });
  if (record) return record;
  if (!isCancelRequested(folder)) throw refused;
  return readRunRecord(folder);
}

async function endNow(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  const record = readRunRecord(folder);
  if (hasEnded(record)) {
    removeCancelRequest(folder);
    return record;
  }
  if (record.live === null) return await cancelWaiting(folder, context);
  if (isLost(record, folder) && (await completeLostAttempt(folder.path, context))) return endNow(folder, context);
  // The program of a watched agent keeps running while it asks.
  if (record.status === 'waiting_user' && !isOfOwnProgram(record))
    throw new TachoError('RUN_LOCKED', `run ${record.handle} is being sealed`);
  await sendControl(locateControl(context.home, record.handle), { op: 'cancel' });
  return readRunRecord(folder);
}

function watchBoth(folder: RunFolder, changed: () => void): { stop(): void } {
  const watches = [watchRecord(folder, changed), watchLock(folder, changed)];
  return {
    stop() {
      for (const watch of watches) watch.stop();
    },
  };
}
