import { ENDED_STATUSES, type RunRecord, type RunStatus } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { cursorAt, keyAt } from './run-key.ts';
import { searchExpression } from './searchable-text.ts';
import { PAGE_BITS } from './word-pages.ts';

export interface ListQuery {
  status?: RunStatus | undefined;
  engine?: string | undefined;
  /** Words to search for in prompts, commands and conversations. */
  q?: string | undefined;
  cursor?: string | undefined;
  limit: number;
}

export interface RunList {
  records: RunRecord[];
  next_cursor: string | null;
  /** Over all pages. For a word search, exact up to COUNTED; one above that means "more". */
  total: number;
}

const COUNTED = 10_000;

interface Row {
  key: number;
  record: string;
}

/** Newest first. A page continues where the previous one ended, regardless of new runs. */
export function listRuns(database: Database, query: ListQuery): RunList {
  const { q = '', cursor, limit } = query;
  const before = cursor === undefined ? null : keyAt(cursor);
  const expression = searchExpression(q);
  const filtered = countFiltered(database, query);
  if (filtered === 0 || (expression === null && q.trim() !== '')) return { records: [], next_cursor: null, total: 0 };

  const selection = expression === null ? selectAll(query) : selectByWords(query, expression);
  const rows = readPage(database, selection, before, limit + 1);
  const shown = rows.slice(0, limit);
  const isLast = rows.length === shown.length;
  const isWhole = isLast && before === null;
  return {
    records: shown.map(({ record }) => JSON.parse(record)),
    next_cursor: isLast ? null : cursorAt(shown.at(-1)!.key),
    total: expression === null ? filtered : isWhole ? rows.length : countMatches(database, selection),
  };
}

/** Number of runs per status. */
export function countByStatus(database: Database): Partial<Record<RunStatus, number>> {
  const rows = database.all<{ status: RunStatus; runs: number }>(
    'SELECT status, sum(runs) AS runs FROM counts GROUP BY status HAVING sum(runs) > 0',
  );
  return Object.fromEntries(rows.map(({ status, runs }) => [status, runs]));
}

/** Runs that have ended. */
export function endedIds(database: Database): string[] {
  const sql = `SELECT run_id FROM runs WHERE status IN (${ENDED_STATUSES.map(() => '?').join(', ')})`;
  return database.all<{ run_id: string }>(sql, ...ENDED_STATUSES).map(({ run_id }) => run_id);
}

type Filter = Pick<ListQuery, 'status' | 'engine'>;

function countFiltered(database: Database, filter: Filter): number {
  const { where, values } = conditions(filter);
  return database.get<{ runs: number }>(`SELECT coalesce(sum(runs), 0) AS runs FROM counts WHERE ${where}`, ...values)!
    .runs;
}

/** Keys of runs, newest first. */
interface Selection {
  /** Ends with a condition, so that another can be appended. */
  select: string;
  values: string[];
  /** The condition for runs after a key. */
  after: string;
  order: string;
}

function selectAll(filter: Filter): Selection {
  const { where, values } = conditions(filter);
  return { select: `SELECT key FROM runs WHERE ${where}`, values, after: 'key < ?', order: 'ORDER BY key DESC' };
}

/** Reads from the newest text and no further than needed, so a frequent word costs no more than others. */
function selectByWords(filter: Filter, expression: string): Selection {
  const { where, values } = conditions(filter);
  const from =
    values.length === 0 ? 'FROM words' : `FROM words CROSS JOIN runs ON runs.key = words.rowid >> ${PAGE_BITS}`;
  return {
    select: `SELECT DISTINCT words.rowid >> ${PAGE_BITS} AS key ${from} WHERE words MATCH ? AND ${where}`,
    values: [expression, ...values],
    after: `words.rowid < ? << ${PAGE_BITS}`,
    order: 'ORDER BY words.rowid DESC',
  };
}

function conditions({ status, engine }: Filter): { where: string; values: string[] } {
  const asked = Object.entries({ status, engine }).filter(([, value]) => value !== undefined) as [string, string][];
  return {
    where: ['TRUE', ...asked.map(([column]) => `${column} = ?`)].join(' AND '),
    values: asked.map(([, value]) => value),
  };
}

function readPage(
  database: Database,
  { select, values, after, order }: Selection,
  before: number | null,
  limit: number,
): Row[] {
  const keys = `${select} AND ${before === null ? 'TRUE' : after} ${order} LIMIT ?`;
  const sql = `SELECT key, record FROM (${keys}) JOIN records USING (key) ORDER BY key DESC`;
  return database.all<Row>(sql, ...values, ...(before === null ? [] : [before]), limit);
}

function countMatches(database: Database, { select, values, order }: Selection): number {
  const sql = `SELECT count(*) AS matches FROM (${select} ${order} LIMIT ?)`;
  return database.get<{ matches: number }>(sql, ...values, COUNTED + 1)!.matches;
}
