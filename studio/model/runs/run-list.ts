import type { RunView } from '../../../src/protocol/index.ts';

/** The visible runs, newest first, and new ones since. Every function here returns a new list. */
export interface RunList {
  readonly rows: readonly RunView[];
  /** Runs that began since the list was loaded; the user has to ask for them, so that no row moves. */
  readonly fresh: readonly RunView[];
  /** Start of the next page; null on the last one. */
  readonly cursor: string | null;
  readonly total: number;
}

interface Page {
  runs: readonly RunView[];
  next_cursor: string | null;
  total: number;
}

export const EMPTY_LIST: RunList = { rows: [], fresh: [], cursor: null, total: 0 };

export function listOf({ runs, next_cursor, total }: Page): RunList {
  return { rows: runs, fresh: [], cursor: next_cursor, total };
}

/** The list with its next page. A run that moved between pages appears once. */
export function withPage(list: RunList, { runs, next_cursor, total }: Page): RunList {
  const known = new Set([...list.rows, ...list.fresh].map(({ run_id }) => run_id));
  return {
    ...list,
    rows: [...list.rows, ...runs.filter(({ run_id }) => !known.has(run_id))],
    cursor: next_cursor,
    total,
  };
}

/** The list with an updated run: its row changes in place. */
export function withRun(list: RunList, run: RunView, { belongs }: { belongs: boolean }): RunList {
  const replaced = (runs: readonly RunView[]) =>
    runs.map((known) => (known.run_id === run.run_id && known.updated_at <= run.updated_at ? run : known));
  if (holds(list.rows, run)) return { ...list, rows: replaced(list.rows) };
  if (holds(list.fresh, run)) return { ...list, fresh: replaced(list.fresh) };
  if (!belongs || isBehindLastPage(list, run)) return list;
  // In an empty list no row can move.
  if (list.rows.length === 0) return { ...list, rows: [run], total: list.total + 1 };
  return { ...list, fresh: [run, ...list.fresh], total: list.total + 1 };
}

export function withoutRun(list: RunList, id: string): RunList {
  const others = ({ run_id }: RunView) => run_id !== id;
  const [rows, fresh] = [list.rows.filter(others), list.fresh.filter(others)];
  const removed = list.rows.length + list.fresh.length - rows.length - fresh.length;
  return { ...list, rows, fresh, total: list.total - removed };
}

export function withFreshShown(list: RunList): RunList {
  const rows = [...list.fresh, ...list.rows].sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
  return { ...list, rows, fresh: [] };
}

/** The list with its first page loaded again, for example after a lost connection. */
export function refreshed(list: RunList, page: Page): RunList {
  const belongs = { belongs: true };
  const next = [...page.runs].reverse().reduce((known, run) => withRun(known, run, belongs), list);
  return { ...next, total: page.total };
}

function holds(runs: readonly RunView[], { run_id }: RunView): boolean {
  return runs.some((known) => known.run_id === run_id);
}

/** An old run that changed, on a page that has not been loaded yet. */
function isBehindLastPage({ rows, cursor }: RunList, { created_at }: RunView): boolean {
  const last = rows.at(-1);
  return cursor !== null && last !== undefined && created_at < last.created_at;
}
