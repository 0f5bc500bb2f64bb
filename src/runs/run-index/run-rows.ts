import type { RunRecord, RunView } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { runView } from '../service/run-view.ts';
import { keyOf } from './run-key.ts';
import { deriveTimers } from './timers.ts';
import { readWordsAgain, removeWords, titleOf } from './word-pages.ts';

/** Puts what the record says in the place of what was known of the run; its text is read apart from that. */
export function putRun(database: Database, record: RunRecord): void {
  const { run_id, handle, status, engine, queue } = record;
  const view = runView(record, null);
  const queuedAt = status === 'queued' ? (queue?.at ?? null) : null;
  database.transaction(() => {
    const known = database.get<{ key: number; view: string }>(
      'SELECT key, view FROM runs JOIN views USING (key) WHERE run_id = ?',
      run_id,
    );
    const key = known?.key ?? freeKey(database, keyOf(record));
    // A run that was taken from the queue stays taken until it is queued anew.
    database.run(
      `INSERT INTO runs (key, run_id, handle, status, engine, priority, queued_at) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET
         status = excluded.status, engine = excluded.engine, priority = excluded.priority,
         taken = iif(queued_at IS excluded.queued_at, taken, 0), queued_at = excluded.queued_at, stamp = ''`,
      ...[key, run_id, handle, status, engine, view.priority, queuedAt],
    );
    database.run('INSERT OR REPLACE INTO views VALUES (?, ?)', key, JSON.stringify(view));
    if (known && titleOf(JSON.parse(known.view)) !== titleOf(view)) readWordsAgain(database, key);
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
    database.run('DELETE FROM views WHERE key = ?', known.key);
    database.run('DELETE FROM timers WHERE run_id = ?', runId);
  });
}

export interface ViewRow {
  key: number;
  view: string;
}

/** With the places in the queue that they have now. */
export function viewsOf(database: Database, rows: readonly ViewRow[]): RunView[] {
  const runs = rows.map(({ key, view }) => ({ key, view: JSON.parse(view) as RunView }));
  const queued = runs.filter(({ view }) => view.status === 'queued').map(({ key }) => key);
  const positions = new Map<number, number>();
  if (queued.length > 0) {
    const found = database.all<{ key: number; position: number }>(
      `SELECT key, position FROM (
         SELECT key, row_number() OVER (ORDER BY priority DESC, queued_at, key) AS position
         FROM runs WHERE queued_at IS NOT NULL AND taken = 0
       ) WHERE key IN (SELECT value FROM json_each(?))`,
      JSON.stringify(queued),
    );
    for (const { key, position } of found) positions.set(key, position);
  }
  return runs.map(({ key, view }) => ({ ...view, queue_position: positions.get(key) ?? null }));
}
