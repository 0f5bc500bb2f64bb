import type { RunRecord } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';

/** Something that is to happen to a run at a time, whether this process is there by then or another one. */
export interface Timer {
  runId: string;
  kind: string;
  /** Milliseconds since the epoch. */
  dueAt: number;
  payload: unknown;
}

export function setTimer(database: Database, { runId, kind, dueAt, payload }: Timer): void {
  database.run(
    'INSERT OR REPLACE INTO timers VALUES (?, ?, ?, ?)',
    runId,
    kind,
    dueAt,
    JSON.stringify(payload ?? null),
  );
}

export function clearTimer(database: Database, runId: string, kind: string): void {
  database.run('DELETE FROM timers WHERE run_id = ? AND kind = ?', runId, kind);
}

/** Those whose time has come, first things first. */
export function dueTimers(database: Database, now: number): Timer[] {
  const rows = database.all<{ run_id: string; kind: string; due_at: number; payload: string }>(
    'SELECT * FROM timers WHERE due_at <= ? ORDER BY due_at, run_id, kind',
    now,
  );
  return rows.map(({ run_id, kind, due_at, payload }) => ({
    runId: run_id,
    kind,
    dueAt: due_at,
    payload: JSON.parse(payload),
  }));
}

/** When the next one is due; null when none is set. */
export function nextDue(database: Database): number | null {
  return database.get<{ due_at: number | null }>('SELECT min(due_at) AS due_at FROM timers')!.due_at;
}

/** The timer that follows from a record: an open question that is to be answered when nobody does. */
export function deriveTimers(database: Database, record: RunRecord): void {
  const { run_id: runId, status, auto_reply, question, last } = record;
  if (status !== 'waiting_user' || !auto_reply || !question || !last) {
    clearTimer(database, runId, 'auto_reply');
    return;
  }
  const dueAt = Date.parse(last.ended_at) + auto_reply.after_ms;
  const payload = { interaction_id: question.interaction_id, text: auto_reply.text };
  setTimer(database, { runId, kind: 'auto_reply', dueAt, payload });
}
