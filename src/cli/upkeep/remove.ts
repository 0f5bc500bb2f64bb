import fs from 'node:fs';
import path from 'node:path';
import { hasEnded, type RunRecord, statusPhrase, TachoError } from '../../protocol/index.ts';
import { findRun, handleOf, readRunRecord } from '../../recording/index.ts';
import { type RunContext, removeRun, removeUnreadableRun, removeUnusedPackages } from '../../runs/index.ts';
import type { RemoveOptions } from '../commands/upkeep.ts';
import { openContext } from '../context.ts';
import { canAsk, confirm } from '../output/confirm.ts';
import { count, formatTime, table } from '../output/format.ts';
import { describeWork } from '../records/run-title.ts';
import { usage } from '../run/record-options.ts';
import { describeFreed } from './freed-packages.ts';

/** `tacho rm`: removes all of the given runs, or none when one cannot be removed. */
export async function removeRuns(selectors: readonly string[], options: RemoveOptions): Promise<void> {
  const context = openContext(options);
  const ids = new Set(selectors.map((selector) => removable(selector, context)));
  const runs = Array.from(ids, (id) => readChosen(id, context, options));
  for (const { record } of runs) if (record) refuseLive(record);
  if (!options.yes && !(await isConfirmed(runs, options))) {
    process.stdout.write('Nothing was removed.\n');
    process.exitCode = 1;
    return;
  }
  for (const { run_id, record } of runs) await (record ? removeRun : removeUnreadableRun)(run_id, context);
  const removed = runs.map(({ run_id }) => run_id);
  const packages = await removeUnusedPackages(context.home);
  if (options.json) process.stdout.write(`${JSON.stringify({ removed, packages })}\n`);
  else process.stdout.write(`removed ${removed.map(handleOf).join(', ')}\n${describeFreed(packages)}`);
}

/** The id of a run in this data folder: a path may lead to a copy elsewhere, which must not be removed. */
function removable(selector: string, { home }: RunContext): string {
  const folder = findRun(home.runs, selector);
  if (fs.realpathSync(path.dirname(folder.path)) === fs.realpathSync(home.runs)) return folder.runId;
  throw usage(`${folder.path} is not in ${home.runs}`, 'Remove a copy of a run like any other folder.');
}

/** A run to remove; without a record if that cannot be read. */
interface Chosen {
  run_id: string;
  record: RunRecord | null;
}

function readChosen(run_id: string, { home }: RunContext, { force = false }: RemoveOptions): Chosen {
  try {
    return { run_id, record: readRunRecord(findRun(home.runs, run_id)) };
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    if (force) return { run_id, record: null };
    const { code, message, facts, cause } = error;
    throw new TachoError(code, message, {
      facts,
      cause,
      fix: `To remove it anyway: tacho rm --force ${handleOf(run_id)}`,
    });
  }
}

function refuseLive(record: RunRecord): void {
  if (hasEnded(record)) return;
  throw new TachoError('RUN_ACTIVE', `run ${record.handle} ${statusPhrase(record)}`, {
    facts: { run_id: record.run_id, status: record.status },
    fix: `End it first: tacho cancel ${record.handle}`,
  });
}

async function isConfirmed(runs: readonly Chosen[], options: RemoveOptions): Promise<boolean> {
  if (!canAsk() || options.json) {
    throw usage('cannot ask for confirmation: there is no terminal', 'Add --yes to remove without asking.');
  }
  const rows = runs.map(({ run_id, record }) => [
    `  ${handleOf(run_id)}`,
    record ? formatTime(record.created_at) : '?',
    record ? record.status : 'unreadable',
    record ? describeWork(record).slice(0, 60) : '',
  ]);
  process.stdout.write(table(rows));
  return confirm(`Remove ${count(runs.length, 'run')} with all that was recorded?`);
}
