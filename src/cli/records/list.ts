import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded, type RunRecord, type RunStatus, runStatusSchema, TachoError } from '../../protocol/index.ts';
import { printable } from '../../record/printable.ts';
import { listRunIds, readShownRecord, runFolderAt } from '../../recording/index.ts';
import { type RunContext, recoverLostRuns } from '../../runs/index.ts';
import type { RunsOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { canRewrite, keepColumns } from '../output/terminal-abilities.ts';
import { describeRecovery } from '../upkeep/recover.ts';
import { needsServer } from './needs-server.ts';
import { type ListedRun, runsTable } from './runs-table.ts';

const WATCH_MS = 500;

export async function listRuns(options: RunsOptions): Promise<void> {
  const context = openContext(options);
  const limit = Number(options.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new TachoError('USAGE', `--limit ${options.limit}: give a number from 1`);
  if (options.status !== undefined && !runStatusSchema.safeParse(options.status).success) {
    const known = runStatusSchema.options.join(', ');
    throw new TachoError('USAGE', `--status ${options.status} is not known`, { fix: `Use one of: ${known}.` });
  }
  process.stderr.write(describeRecovery(await recoverLostRuns(context)));
  if (options.search !== undefined && (options.watch || options.live)) {
    throw new TachoError('USAGE', `--search cannot be combined with --${options.watch ? 'watch' : 'live'}`);
  }
  const ids = options.search === undefined ? undefined : await find(context, options.search, options.status, limit);
  const look = () => gather(context, options, limit, ids);
  const show = (listed: readonly ListedRun[]) =>
    process.stdout.write(options.json ? asJson(listed) : asTable(listed, context, options));
  if (options.watch) await watchRuns(look, show, options.json ?? false);
  else show(look());
}

/** Runs that have not ended, newest first. */
export function listLive(context: RunContext): { table: string; runs: RunRecord[] } {
  const listed = gather(context, { live: true }, Number.POSITIVE_INFINITY);
  const runs = listed.flatMap((one) => ('record' in one ? [one.record] : []));
  return { table: asTable(listed, context, { live: true }), runs };
}

/** On a terminal, redraws the list in place; elsewhere, prints a new list for every change. */
async function watchRuns(
  look: () => ListedRun[],
  show: (listed: readonly ListedRun[]) => void,
  json: boolean,
): Promise<void> {
  let shown = '';
  for (;;) {
    const listed = look();
    const text = JSON.stringify(listed);
    if (text !== shown) {
      if (canRewrite(process.stdout) && !json) process.stdout.write('\u001b[H\u001b[2J');
      show(listed);
    }
    shown = text;
    await sleep(WATCH_MS);
  }
}

type Filter = Pick<RunsOptions, 'status' | 'live' | 'search'>;

async function find(
  context: RunContext,
  q: string,
  status: string | undefined,
  limit: number,
): Promise<readonly string[]> {
  const { searchRuns } = await import('./search-runs.ts');
  return searchRuns(context, { q, status: status as RunStatus | undefined, limit });
}

/** Of these runs, or of all. */
function gather(context: RunContext, filter: Filter, limit: number, ids?: readonly string[]): ListedRun[] {
  const listed: ListedRun[] = [];
  for (const runId of ids ?? listRunIds(context.home.runs).reverse()) {
    if (listed.length === limit) break;
    const one = readOne(context, runId);
    if (isWanted(one, filter)) listed.push(one);
  }
  return listed;
}

function isWanted(one: ListedRun, { status, live }: Filter): boolean {
  if (status === undefined && !live) return true;
  if (!('record' in one)) return false;
  return (status === undefined || one.record.status === status) && !(live && hasEnded(one.record));
}

function readOne(context: RunContext, runId: string): ListedRun {
  try {
    const folder = runFolderAt(path.join(context.home.runs, runId));
    const record = readShownRecord(folder);
    return { run_id: runId, record, needsServer: needsServer(record, folder, context) !== null };
  } catch (error) {
    if (error instanceof TachoError) return { run_id: runId, error };
    throw error;
  }
}

function asJson(listed: readonly ListedRun[]): string {
  const runs = listed.map((one) =>
    'record' in one ? one.record : { run_id: one.run_id, error: { code: one.error.code, message: one.error.message } },
  );
  return `${JSON.stringify({ runs })}\n`;
}

function asTable(listed: readonly ListedRun[], context: RunContext, { status, live, search }: Filter): string {
  if (listed.length === 0 && search !== undefined) return `No runs have all words of "${printable(search)}".\n`;
  if (listed.length === 0 && live) return 'No live runs.\n';
  if (listed.length === 0 && status !== undefined) return `No runs with status ${status}.\n`;
  if (listed.length === 0) return `No runs in ${context.home.runs} yet. Record one: tacho run echo hello\n`;
  const { stdout } = process;
  const options = { columns: stdout.isTTY ? stdout.columns : null, runsFolder: context.home.runs, nowMs: Date.now() };
  const [header, ...lines] = runsTable(listed, options);
  const text = [paint.dim(header!), ...lines].map((line) => `${line}\n`).join('');
  return keepColumns(text);
}
