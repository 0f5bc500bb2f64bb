import type { RunRecord } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { keyOf } from './run-key.ts';
import { deriveTimers } from './timers.ts';
import { readWordsAgain, removeWords, titleOf } from './word-pages.ts';

/** Puts what the record says in the place of what was known of the run; its text is read apart from that. */
export function putRun(database: Database, record: RunRecord): void {
  const { run_id, handle, status, engine, queue } = record;
  const queuedAt = status === 'queued' ? (queue?.at ?? null) : null;
  database.transaction(() => {
    const known = database.get<{ key: number; record: string }>(
      'SELECT key, record FROM runs JOIN records USING (key) WHERE run_id = ?',
      run_id,
    );
    const key = known?.key ?? freeKey(database, keyOf(record));
    // A run that was taken from the queue stays taken until it is queued anew.
    database.run(
      `INSERT INTO runs (key, run_id, handle, status, engine, priority, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         status = excluded.status, engine = excluded.engine, priority = excluded.priority,
         taken = iif(queued_at IS excluded.queued_at, taken, 0), queued_at = excluded.queued_at, stamp = ''`,
      ...[key, run_id, handle, status, engine, queue?.priority ?? 0, queuedAt],
    );
    database.run('INSERT OR REPLACE INTO records VALUES (?, ?)', key, JSON.stringify(record));
    if (known && titleOf(JSON.parse(known.record)) !== titleOf(record)) readWordsAgain(database, key);
    deriveTimers(database, record);
  });
}

/** Two runs of one millisecond may have handles that end alike. */
function freeKey(database: Database, wanted: number): number {
  let key = wanted;
  while (database.get('SELECT 1 FROM runs WHERE key = ?', key)) key++;
  return key;
}

export function removeRun(database: Database, runId: string): void {
  database.transaction(() => {
    const known = database.get<{ key: number }>('SELECT key FROM runs WHERE run_id = ?', runId);
    if (!known) return;
    removeWords(database, known.key);
    database.run('DELETE FROM runs WHERE key = ?', known.key);
    database.run('DELETE FROM records WHERE key = ?', known.key);
    database.run('DELETE FROM timers WHERE run_id = ?', runId);
  });
}
