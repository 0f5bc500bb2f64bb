import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerRecover(program: Command): void {
  const command = program
    .command('recover')
    .summary('complete runs whose recorder died')
    .description(
      'Completes the record of runs whose recorder died: ends what is left of them, reads their bytes again, seals them.',
    )
    .argument('[run]', 'one run; all of them when left out')
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
  tacho prune --older-than 30d --dry-run      what would go, and how much room it takes
  tacho prune --older-than 30d --keep 100
  tacho prune --older-than 7d --status failed`;

export function registerPrune(program: Command): void {
  const command = program
    .command('prune')
    .summary('remove old runs')
    .description('Removes runs that ended long ago, with all they left. Runs that have not ended are never touched.')
    .option('--older-than <duration>', 'only runs that ended longer ago than this, e.g. 30d')
    .option('--keep <n>', 'the newest runs that stay in any case', '0')
    .option('--status <status>', 'only runs with this final status: succeeded, failed or canceled')
    .option('--dry-run', 'say what would go, and remove nothing')
    .addHelpText('after', PRUNE_EXAMPLES)
    .action(async (options: PruneOptions) => {
      const { pruneRuns } = await import('../upkeep/prune.ts');
      await pruneRuns(options);
    });
  withCommonOptions(command);
}

export interface RemoveOptions extends CommonOptions {
  yes?: boolean;
}

export function registerRemove(program: Command): void {
  const command = program
    .command('rm')
    .summary('remove runs')
    .description(
      'Removes runs that have ended, with all that was recorded; asks first. The ledger keeps their seals and that they were removed. Old runs by age: tacho prune.',
    )
    .argument('<run...>', 'run id, handle, its beginning, last or last~1')
    .option('-y, --yes', 'remove without asking; required without a terminal')
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
    .description('The index by which the server lists and searches runs. It is made from the run folders.');
  const rebuild = index
    .command('rebuild')
    .summary('make the index again from the run folders')
    .description('Makes the index again from the run folders. The server has to be stopped for it.')
    .addHelpText('after', '\nExamples:\n  tacho index rebuild')
    .action(async (options: CommonOptions) => {
      const { rebuildIndex } = await import('../upkeep/rebuild-index.ts');
      await rebuildIndex(options);
    });
  withCommonOptions(rebuild);
}
