import { pollUntil } from '../../files/index.ts';
import { type Claim, isLocked, type Journal } from '../../journal/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { openJournal, type RunContext } from '../context.ts';
import { watchLock } from './watch-record.ts';

const WAIT_MS = 5000;
/** A watch reports a release; only the death of the holder needs polling. */
const POLL_INTERVAL_MS = 250;
const working = new Map<string, Promise<unknown>>();

/**
 * Runs `work` as the run's only writer. Calls within this process run in sequence. Waits for another process that
 * writes briefly; throws RUN_LOCKED if one records an attempt.
 */
export async function withRunLock<T>(
  folder: RunFolder,
  context: RunContext,
  work: (journal: Journal, claim: Claim) => Promise<T>,
  waitMs = WAIT_MS,
): Promise<T> {
  const before = working.get(folder.runId) ?? Promise.resolve();
  const mine = before.catch(() => {}).then(() => locked(folder, context, work, waitMs));
  working.set(folder.runId, mine);
  try {
    return await mine;
  } finally {
    if (working.get(folder.runId) === mine) working.delete(folder.runId);
  }
}

/**
 * Waits for a process that has completed an attempt to let go of the run. It removes the temporary files of the program
 * first, and no lock outlives its process; so there is no limit.
 */
export async function whenUnlocked(folder: RunFolder): Promise<void> {
  await pollUntil(() => !isLocked(folder.audit), {
    everyMs: POLL_INTERVAL_MS,
    watch: (changed) => watchLock(folder, changed),
  });
}

async function locked<T>(
  folder: RunFolder,
  context: RunContext,
  work: (journal: Journal, claim: Claim) => Promise<T>,
  waitMs: number,
): Promise<T> {
  const journal = openJournal(folder, context.config);
  const claim = await claimSoon(journal, folder, waitMs);
  try {
    return await work(journal, claim);
  } finally {
    await journal.release(folder.runId, claim.epoch);
  }
}

async function claimSoon(journal: Journal, folder: RunFolder, waitMs: number): Promise<Claim> {
  let refused: unknown;
  const claim = await pollUntil(
    async () => {
      try {
        return await journal.claim(folder.runId);
      } catch (error) {
        if (!(error instanceof TachoError && error.code === 'RUN_LOCKED')) throw error;
        refused = error;
        return null;
      }
    },
    { everyMs: POLL_INTERVAL_MS, timeoutMs: waitMs, watch: (changed) => watchLock(folder, changed) },
  );
  if (claim === null) throw refused;
  return claim;
}
