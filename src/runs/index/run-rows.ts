import type { RunRecord } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { keyOf } from './run-key.ts';
import { readWordsAgain, removeWords, titleOf } from './word-pages.ts';

/** Replaces the row of a run with its record; its text is read separately. */
export function putRun(database: Database, record: RunRecord): void {
  const { run_id, status, engine } = record;
  database.transaction(() => {
    const known = knownRun(database, run_id);
    const key = known?.key ?? freeKey(database, keyOf(record));
    database.run(
      `INSERT INTO runs (key, run_id, status, engine) VALUES (?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET status = excluded.status, engine = excluded.engine, stamp = ''`,
      ...[key, run_id, status, engine],
    );
    if (known) count(database, known, -1);
    count(database, record, 1);
    database.run('INSERT OR REPLACE INTO records VALUES (?, ?)', key, JSON.stringify(record));
    if (known && titleOf(known) !== titleOf(record)) readWordsAgain(database, key);
  });
}

function knownRun(database: Database, runId: string): (RunRecord & { key: number }) | null {
  const row = database.get<{ key: number; record: string }>(
    'SELECT key, record FROM runs JOIN records USING (key) WHERE run_id = ?',
    runId,
  );
  return row ? { ...(JSON.parse(row.record) as RunRecord), key: row.key } : null;
}

function count(database: Database, { status, engine }: Pick<RunRecord, 'status' | 'engine'>, change: 1 | -1): void {
  database.run(
    'INSERT INTO counts VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET runs = runs + excluded.runs',
    ...[status, engine, change],
  );
}

/** Handles of two runs created in the same millisecond may end alike. */
function freeKey(database: Database, wanted: number): number {
  if (!database.get('SELECT 1 FROM runs WHERE key = ?', wanted)) return wanted;
  return database.get<{ key: number }>(
    `SELECT key + 1 AS key FROM runs AS taken
     WHERE key >= ? AND NOT EXISTS (SELECT 1 FROM runs WHERE key = taken.key + 1) ORDER BY key LIMIT 1`,
    wanted,
  )!.key;
}

export function removeRun(database: Database, runId: string): void {
  database.transaction(() => {
    const known = knownRun(database, runId);
    if (!known) return;
    count(database, known, -1);
    removeWords(database, known.key);
    database.run('DELETE FROM runs WHERE key = ?', known.key);
    database.run('DELETE FROM records WHERE key = ?', known.key);
  });
}
