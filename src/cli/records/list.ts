import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunRecord, runStatusSchema, TachoError } from '../../protocol/index.ts';
import { listRunIds, readShownRecord, runFolderAt } from '../../recording/index.ts';
import { type RunContext, recoverLostRuns } from '../../runs/index.ts';
import type { RunsOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { formatTime, table } from '../output/format.ts';
import { paint } from '../output/paint.ts';
import { describeRecovery } from './recover.ts';
import { describeWork } from './run-title.ts';

/** A run whose record cannot be read is listed too, with the reason: a list must not hide what is broken. */
type Listed = { run_id: string; record: RunRecord } | { run_id: string; error: TachoError };

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
  if (options.watch) await watchRuns(() => gather(context, options, limit), context, options.json ?? false);
  else print(gather(context, options, limit), context, options.json ?? false);
}

function print(listed: readonly Listed[], context: RunContext, json: boolean): void {
  process.stdout.write(json ? asJson(listed) : asTable(listed, context));
}

/** On a terminal the list stays in its place; elsewhere every change is a list of its own. */
async function watchRuns(look: () => Listed[], context: RunContext, json: boolean): Promise<void> {
  let shown = '';
  for (;;) {
    const listed = look();
    const text = JSON.stringify(listed);
    if (text !== shown) {
      if (process.stdout.isTTY && !json) process.stdout.write('\u001b[H\u001b[2J');
      print(listed, context, json);
    }
    shown = text;
    await sleep(WATCH_MS);
  }
}

function gather(context: RunContext, options: RunsOptions, limit: number): Listed[] {
  const listed: Listed[] = [];
  for (const runId of listRunIds(context.home.runs).reverse()) {
    if (listed.length === limit) break;
    const one = readOne(context.home.runs, runId);
    if (options.status === undefined || ('record' in one && one.record.status === options.status)) listed.push(one);
  }
  return listed;
}

function readOne(runs: string, runId: string): Listed {
  try {
    return { run_id: runId, record: readShownRecord(runFolderAt(path.join(runs, runId))) };
  } catch (error) {
    if (error instanceof TachoError) return { run_id: runId, error };
    throw error;
  }
}

function asJson(listed: readonly Listed[]): string {
  const runs = listed.map((one) =>
    'record' in one ? one.record : { run_id: one.run_id, error: { code: one.error.code, message: one.error.message } },
  );
  return `${JSON.stringify({ runs })}\n`;
}

function asTable(listed: readonly Listed[], context: RunContext): string {
  if (listed.length === 0) return `No runs in ${context.home.runs} yet. Record one: tacho run -- echo hello\n`;
  const rows = listed.map((one) => {
    if (!('record' in one)) return [one.run_id.slice(-8), '?', '', one.error.code, one.error.message];
    const { handle, created_at, attempt, status, last, recovered } = one.record;
    const exit = last ? (last.signal ?? String(last.exit_code ?? '–')) : '–';
    const work = describeWork(one.record).slice(0, 80);
    const shown = recovered ? `${status} (${exit}), recovered` : `${status} (${exit})`;
    return [handle, formatTime(created_at), `${attempt}`, shown, work];
  });
  const [header, ...body] = table([['RUN', 'STARTED', 'ATTEMPT', 'STATUS (EXIT)', 'COMMAND'], ...rows]).split('\n');
  return [paint.dim(header!), ...body].join('\n');
}
