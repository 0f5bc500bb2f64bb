import os from 'node:os';
import type { RunRecord, TachoError } from '../../protocol/index.ts';
import { columnsOf, cutToColumns } from '../chat/columns.ts';
import { formatDuration, formatTime, printable } from '../output/format.ts';
import { describeWork } from './run-title.ts';

/** A run whose record cannot be read is listed too, with the reason: a list must not hide what is broken. */
export type ListedRun = { run_id: string; record: RunRecord } | { run_id: string; error: TachoError };

/** In the order they are shown. */
const COLUMNS = ['RUN', 'STARTED', 'ATTEMPT', 'STATUS (EXIT)', 'DURATION', 'FOLDER', 'COMMAND'] as const;
type Column = (typeof COLUMNS)[number];
type Row = Record<Column, string>;

/** What a narrow terminal goes without, the least important last. */
const OPTIONAL: readonly Column[] = ['STARTED', 'DURATION', 'ATTEMPT', 'FOLDER'];
const MIN_COMMAND = 22;
const MAX_COMMAND = 200;
const MAX_FOLDER = 32;
const GAP = '  ';

export interface TableOptions {
  /** Of the terminal; null where lines may be of any length. */
  columns: number | null;
  /** Where runs are kept: a folder in there is the run's own. */
  runsFolder: string;
  nowMs: number;
}

/** The header and a line for each run, none of them wider than the terminal. */
export function runsTable(listed: readonly ListedRun[], options: TableOptions): string[] {
  const rows = [header(), ...listed.map((one) => rowOf(one, options))];
  const room = options.columns ?? Number.POSITIVE_INFINITY;
  const widthOf = (column: Column) => Math.max(...rows.map((row) => columnsOf(row[column])));
  const shown = new Set<Column>(['RUN', 'STATUS (EXIT)']);
  const taken = () => [...shown].reduce((sum, column) => sum + widthOf(column) + GAP.length, 0);
  const wanted = Math.min(MIN_COMMAND, widthOf('COMMAND'));
  for (const column of OPTIONAL) {
    shown.add(column);
    if (taken() + wanted > room) shown.delete(column);
  }
  const rest = Math.max(1, Math.min(room - taken(), MAX_COMMAND));
  return rows.map((row) => {
    const cells = COLUMNS.filter((column) => shown.has(column)).map((column) => pad(row[column], widthOf(column)));
    return cutToColumns([...cells, cutToColumns(row.COMMAND, rest)].join(GAP).trimEnd(), room);
  });
}

function header(): Row {
  return Object.fromEntries(COLUMNS.map((column) => [column, column])) as Row;
}

function rowOf(one: ListedRun, { runsFolder, nowMs }: TableOptions): Row {
  if ('error' in one) {
    const { code, message } = one.error;
    const unknown = { STARTED: '?', ATTEMPT: '', DURATION: '', FOLDER: '' };
    return { RUN: one.run_id.slice(-8), ...unknown, 'STATUS (EXIT)': code, COMMAND: printable(message) };
  }
  const { handle, created_at, attempt, status, last, recovered, cwd } = one.record;
  const exit = last ? (last.signal ?? String(last.exit_code ?? '–')) : '–';
  return {
    RUN: handle,
    STARTED: formatTime(created_at),
    ATTEMPT: `${attempt}`,
    'STATUS (EXIT)': recovered ? `${status} (${exit}), recovered` : `${status} (${exit})`,
    DURATION: durationOf(one.record, nowMs),
    FOLDER: cwd.startsWith(`${runsFolder}/`) ? '–' : folderName(cwd),
    COMMAND: describeWork(one.record),
  };
}

/** The time it worked; it neither grows in the queue nor while a person is asked. */
function durationOf({ times, status }: RunRecord, nowMs: number): string {
  if (!times?.started_at) return '–';
  const current = status === 'running' ? Math.max(0, nowMs - Date.parse(times.since)) : 0;
  return formatDuration(times.working_ms + current);
}

/** The end of a long path says more than its beginning. */
function folderName(folder: string): string {
  const home = os.homedir();
  const short = printable(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);
  return short.length <= MAX_FOLDER ? short : `…${short.slice(1 - MAX_FOLDER)}`;
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(columns - columnsOf(text));
}
