import { runStatusSchema } from '../../protocol/index.ts';
import { findPrunable, type PruneRules, RegisteredAgents, removeRun, removeUnusedPackages } from '../../runs/index.ts';
import type { PruneOptions } from '../commands/upkeep.ts';
import { openContext } from '../context.ts';
import { count, formatBytes, formatTime, table } from '../output/format.ts';
import { durationOf, usage } from '../run/record-options.ts';
import { describeFreed } from './freed-packages.ts';

export async function pruneRuns(options: PruneOptions): Promise<void> {
  const context = openContext(options);
  const rules = rulesOf(options);
  const { dryRun = false } = options;
  const runs = findPrunable(context, rules);
  if (!dryRun) for (const { run_id } of runs) await removeRun(run_id, context);
  const without = new Set(runs.map(({ run_id }) => run_id));
  const packages = await removeUnusedPackages(context.home, { dryRun, without });
  const agents = new RegisteredAgents(context.home).removeStale({ dryRun });
  const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ removed: !dryRun, runs, bytes, packages, agents })}\n`);
    return;
  }
  const rows = runs.map((run) => [run.run_id.slice(-8), run.status, formatTime(run.ended_at), formatBytes(run.bytes)]);
  if (dryRun && rows.length > 0) process.stdout.write(table([['RUN', 'STATUS', 'ENDED', 'SIZE'], ...rows]));
  const verb = dryRun ? 'would be removed' : 'removed';
  process.stdout.write(
    `${count(runs.length, 'run')} ${verb}, ${formatBytes(bytes)}\n${describeFreed(packages, dryRun)}`,
  );
  if (agents > 0) process.stdout.write(`${count(agents, 'registration')} of agent runs that are gone ${verb}\n`);
}

function rulesOf(options: PruneOptions): PruneRules {
  const keep = Number(options.keep);
  if (!Number.isInteger(keep) || keep < 0)
    throw usage(`--keep ${options.keep}: must be a whole number from 0`, 'Example: --keep 100');
  const olderThanMs = durationOf('--older-than', options.olderThan) ?? null;
  const status = options.status === undefined ? null : runStatusSchema.safeParse(options.status);
  if (status && !status.success)
    throw usage(`--status ${options.status} is not known`, 'Use succeeded, failed or canceled.');
  if (olderThanMs === null && keep === 0) {
    throw usage('this would remove every run that has ended', 'Choose which ones: --older-than 30d, or --keep 100.');
  }
  return { olderThanMs, keep, status: status?.data ?? null };
}
