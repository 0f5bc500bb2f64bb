import type { Database } from '../../storage/index.ts';

/** Higher priority first, then who came first; those that were taken are on their way. */
const WAITING = 'FROM runs WHERE queued_at IS NOT NULL AND taken = 0';
const ORDER = 'ORDER BY priority DESC, queued_at, key';

/** True for the one caller who gets it. It comes back when it is queued anew, or when this process dies before. */
export function take(database: Database, runId: string): boolean {
  return (
    database.run(`UPDATE runs SET taken = 1 WHERE run_id = ? AND queued_at IS NOT NULL AND taken = 0`, runId) === 1
  );
}

/** Whoever took a run and did not start it is gone. */
export function returnTaken(database: Database): void {
  database.run('UPDATE runs SET taken = 0 WHERE taken = 1');
}

/** The run to start next; null when none waits. */
export function nextInQueue(database: Database): string | null {
  return database.get<{ run_id: string }>(`SELECT run_id ${WAITING} ${ORDER} LIMIT 1`)?.run_id ?? null;
}

/** Every run that waits, and its place: 1 starts next. */
export function positions(database: Database): Map<string, number> {
  const rows = database.all<{ run_id: string }>(`SELECT run_id ${WAITING} ${ORDER}`);
  return new Map(rows.map(({ run_id }, index) => [run_id, index + 1]));
}

export function queueSize(database: Database): number {
  return database.get<{ size: number }>(`SELECT count(*) AS size ${WAITING}`)!.size;
}
