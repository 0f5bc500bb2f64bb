import { hasEnded, type RunRecord, TachoError } from '../../protocol/index.ts';
import { readSealedState } from '../../record/index.ts';
import { folderFiles, loadSealKey, type RunFolder, readRunRecord } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { RecordFile } from '../state/record-file.ts';
import { withRunLock } from '../state/with-run-lock.ts';
import { isOwn } from './verify-in-place.ts';

/**
 * The record of a resting run, from its sealed events: the values that start the next attempt (command, folder, model
 * address) must not come from a file that anyone could have written. Restores `.run.json`.
 */
export async function requireSealed(folder: RunFolder, context: RunContext): Promise<RunRecord> {
  const { runId } = folder;
  const sealed = await readSealedState(folderFiles(folder));
  if (sealed === null && isOwn(folder, context.home)) return readRunRecord(folder);
  if (sealed === null || 'kind' in sealed) {
    const why = sealed ? `${sealed.path}: ${sealed.message}` : 'an earlier version of tacho recorded it elsewhere';
    throw new TachoError('VERIFY_FAILED', `run ${runId} cannot be continued: ${why}`, {
      facts: { run_id: runId },
      fix: 'See tacho verify. Start a new run to ask the same again.',
    });
  }
  if (sealed.key !== loadSealKey(context.home.keys).id) {
    throw new TachoError('NOT_BEGUN_HERE', `run ${runId} was sealed with key ${sealed.key}, not by this installation`, {
      facts: { run_id: runId, key: sealed.key },
      fix: 'Continue it with the installation that recorded it, or start a new run.',
    });
  }
  const isResting = (state: { status: RunRecord['status'] }) => state.status === 'waiting_user' || hasEnded(state);
  if (sealed.unsealed && isResting(sealed.unsealed)) {
    throw new TachoError('VERIFY_FAILED', `run ${runId} cannot be continued: no seal covers its last events`, {
      facts: { run_id: runId },
      fix: 'See tacho verify.',
    });
  }
  // Another process has started the next attempt meanwhile, and writes the record.
  if (sealed.unsealed) return { ...readRunRecord(folder), ...sealed.unsealed };
  await withRunLock(folder, context, (journal) => RecordFile.restore(folder, journal));
  return readRunRecord(folder);
}
