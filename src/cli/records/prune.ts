import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface PruneOptions extends CommonOptions {
  olderThan?: string;
  keep: string;
  status?: string;
  dryRun?: boolean;
}

const EXAMPLES = `
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
    .option('--status <status>', 'only runs that ended so: succeeded, failed or canceled')
    .option('--dry-run', 'say what would go, and remove nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (options: PruneOptions) => {
      const { pruneRuns } = await import('./prune-runs.ts');
      await pruneRuns(options);
    });
  withCommonOptions(command);
}
