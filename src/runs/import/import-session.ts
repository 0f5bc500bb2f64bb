import { TachoError } from '../../protocol/index.ts';
import { handleOf, nextAttempt } from '../../recording/index.ts';
import type { RunContext } from '../context.ts';
import { prepareDataHome } from '../data-home.ts';
import { recoverLostRuns } from '../replay/recovery.ts';
import { EntryCounts } from '../watch/entry-counts.ts';
import { lockSessions, SessionRuns } from '../watch/session-runs.ts';
import { ByteSource } from './byte-source.ts';
import type { SessionLog } from './session-log.ts';

/** Where the entries of a session go. */
export interface SessionPlace {
  /** The run that has the session, from `tacho watch` or an earlier import; null for none. */
  run: string | null;
  /** Remembers which run has it. */
  remember(runId: string): void;
}

/** Imports a session file such that each of its entries is in one run, once. */
export async function importingSession<T>(
  log: SessionLog,
  engine: string,
  context: RunContext,
  work: (place: SessionPlace) => Promise<T>,
): Promise<T> {
  const { home } = context;
  const { key } = log;
  if (key === null) return work({ run: null, remember: () => {} });
  prepareDataHome(home);
  const lock = lockSessions(home, engine);
  try {
    const runs = new SessionRuns(home, engine);
    const known = runs.find(key);
    if (known) {
      // A reader that was killed may have left an attempt to complete.
      await recoverLostRuns(context);
      skipRecorded(log, known.run_id, runs);
    }
    return await work({
      run: known?.run_id ?? null,
      remember: (run_id) => runs.put(key, { run_id, path: log.path, stamp: null }),
    });
  } finally {
    lock.release();
  }
}

function skipRecorded(log: SessionLog, runId: string, runs: SessionRuns): void {
  const folder = runs.folderOf(runId);
  const recorded = () => EntryCounts.recorded(folder, nextAttempt(folder) - 1, log.format);
  if (!log.isFile || !hasNews(log, recorded())) {
    const what = log.isFile ? 'has all of this session' : 'has this session';
    throw new TachoError('SESSION_RECORDED', `run ${handleOf(runId)} already ${what}`, {
      facts: { run_id: runId, path: log.path },
      fix: `tacho show ${handleOf(runId)}${log.isFile ? '' : '. To add what is new, give the file itself.'}`,
    });
  }
  log.skip(recorded());
}

function hasNews(log: SessionLog, recorded: EntryCounts): boolean {
  const again = new ByteSource(log.path);
  try {
    return !recorded.missingIn(again.pieces(), log.format).next().done;
  } finally {
    again.close();
  }
}
