import os from 'node:os';
import type { RunRecord, TachoError } from '../../protocol/index.ts';
import { columnsOf, cutToColumns } from '../chat/columns.ts';
import { formatDuration, formatTime, printable } from '../output/format.ts';
import { describeWork } from './run-title.ts';

/** An unreadable run is listed too, with the reason: a list must not hide damage. */
export type ListedRun =
  | {
      run_id: string;
      record: RunRecord /** It is queued, and no server is there to start it. */;
      needsServer?: boolean;
    }
  | { run_id: string; error: TachoError };

/** In display order. */
const COLUMNS = ['RUN', 'STARTED', 'ATTEMPT', 'STATUS (EXIT)', 'DURATION', 'FOLDER', 'COMMAND'] as const;
type Column = (typeof COLUMNS)[number];
type Row = Record<Column, string>;

/** Columns that a narrow terminal omits, the least important last. */
const OPTIONAL: readonly Column[] = ['STARTED', 'DURATION', 'ATTEMPT', 'FOLDER'];
const MIN_COMMAND = 22;
const MAX_COMMAND = 200;
const MAX_FOLDER = 32;
const GAP = '  ';

export interface TableOptions {
  /** Width of the terminal; null for no limit. */
  columns: number | null;
  /** Folder of all runs: a folder inside it is a run's own. */
  runsFolder: string;
  nowMs: number;
}

/** A header and a line per run, none wider than the terminal. */
export function runsTable(listed: readonly ListedRun[], options: TableOptions): string[] {
  const rows = [header(), ...listed.map((one) => rowOf(one, options))];
  const room = options.columns ?? Number.POSITIVE_INFINITY;
  const widthOf = (column: Column) => Math.max(...rows.map((row) => columnsOf(row[column])));
  const shown = new Set<Column>(['RUN', 'STATUS (EXIT)']);
  const taken = () => [...shown].reduce((sum, column) => sum + widthOf(column) + GAP.length, 0);
  const wanted = Math.min(MIN_COMMAND, widthOf('COMMAND'));
  for (const column of OPTIONAL) {
    if (column === 'ATTEMPT' && listed.every((one) => 'error' in one || one.record.attempt <= 1)) continue;
    shown.add(column);
    if (taken() + wanted <= room) continue;
    shown.delete(column);
    break;
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
  const { handle, created_at, attempt, status, last, recovered, source, cwd } = one.record;
  const exit = last ? (last.signal ?? String(last.exit_code ?? '–')) : '–';
  return {
    RUN: handle,
    STARTED: formatTime(created_at).slice(0, 'YYYY-MM-DD hh:mm'.length),
    ATTEMPT: `${attempt}`,
    'STATUS (EXIT)': [
      `${status} (${exit})`,
      ...(source ? [source.kind] : []),
      ...(recovered ? ['recovered'] : []),
      ...(one.needsServer ? ['waits for tacho start'] : []),
    ].join(', '),
    DURATION: durationOf(one.record, nowMs),
    FOLDER: cwd.startsWith(`${runsFolder}/`) ? '–' : folderName(cwd),
    COMMAND: describeWork(one.record),
  };
}

/** Working time; it does not grow in the queue or while waiting for a user. */
function durationOf({ times, status }: RunRecord, nowMs: number): string {
  if (!times?.started_at) return '–';
  const current = status === 'running' ? Math.max(0, nowMs - Date.parse(times.since)) : 0;
  return formatDuration(times.working_ms + current);
}

/** The end of a long path is more useful than its beginning. */
function folderName(folder: string): string {
  const home = os.homedir();
  const short = printable(folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder);
  return short.length <= MAX_FOLDER ? short : `…${short.slice(1 - MAX_FOLDER)}`;
}

function pad(text: string, columns: number): string {
  return text + ' '.repeat(columns - columnsOf(text));
}
