import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerRecover(program: Command): void {
  const command = program
    .command('recover')
    .summary('complete runs whose recorder died')
    .description(
      'Completes the record of runs whose recorder died: ends their remaining processes, reads their bytes again and seals them.',
    )
    .argument('[run]', 'only this run (default: all of them)')
    .addHelpText('after', '\nExamples:\n  tacho recover\n  tacho recover 3f2a9c1b')
    .action(async (selector: string | undefined, options: CommonOptions) => {
      const { recoverRuns } = await import('../upkeep/recover.ts');
      await recoverRuns(selector, options);
    });
  withCommonOptions(command);
}

export interface PruneOptions extends CommonOptions {
  olderThan?: string;
  keep: string;
  status?: string;
  dryRun?: boolean;
}

const PRUNE_EXAMPLES = `
Examples:
  tacho prune --older-than 30d --dry-run    what would be removed
  tacho prune --older-than 30d --keep 100
  tacho prune --older-than 7d --status failed`;

export function registerPrune(program: Command): void {
  const command = program
    .command('prune')
    .summary('remove old runs')
    .description(
      'Removes runs that ended long ago, with their records, and packages of skills that no run needs any more. Runs that have not ended are never removed.',
    )
    .option('--older-than <duration>', 'only runs that ended longer ago than this, e.g. 30d')
    .option('--keep <n>', 'number of newest runs to keep in any case', '0')
    .option('--status <status>', 'only runs with this final status: succeeded, failed or canceled')
    .option('--dry-run', 'list what would be removed, and remove nothing')
    .addHelpText('after', PRUNE_EXAMPLES)
    .action(async (options: PruneOptions) => {
      const { pruneRuns } = await import('../upkeep/prune.ts');
      await pruneRuns(options);
    });
  withCommonOptions(command);
}

export interface RemoveOptions extends CommonOptions {
  yes?: boolean;
  force?: boolean;
}

export function registerRemove(program: Command): void {
  const command = program
    .command('rm')
    .summary('remove runs')
    .description(
      'Removes runs that have ended, with their records; asks first. The ledger keeps their seals and notes the removal. To remove old runs: tacho prune.',
    )
    .argument('<run...>', 'run id, handle, its beginning, last or last~1')
    .option('-y, --yes', 'remove without asking; required without a terminal')
    .option('-f, --force', 'also remove runs whose record cannot be read')
    .addHelpText('after', '\nExamples:\n  tacho rm last\n  tacho rm --yes 3f2a9c1b last~1')
    .action(async (selectors: string[], options: RemoveOptions) => {
      const { removeRuns } = await import('../upkeep/remove.ts');
      await removeRuns(selectors, options);
    });
  withCommonOptions(command);
}

export function registerIndex(program: Command): void {
  const index = program
    .command('index')
    .summary('rebuild the index of all runs')
    .description('The index that the server uses to list and search runs. It is built from the run folders.');
  const rebuild = index
    .command('rebuild')
    .summary('rebuild the index from the run folders')
    .description('Rebuilds the index from the run folders. Stop the server first.')
    .addHelpText('after', '\nExamples:\n  tacho index rebuild')
    .action(async (options: CommonOptions) => {
      const { rebuildIndex } = await import('../upkeep/rebuild-index.ts');
      await rebuildIndex(options);
    });
  withCommonOptions(rebuild);
}
