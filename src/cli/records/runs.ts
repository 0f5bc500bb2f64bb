import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface RunsOptions extends CommonOptions {
  limit: string;
  status?: string;
  watch?: boolean;
}

export function registerRuns(program: Command): void {
  const command = program
    .command('runs')
    .summary('list recorded runs, newest first')
    .description('Lists recorded runs, newest first. Completes the record of runs whose recorder died.')
    .option('--limit <n>', 'at most so many', '20')
    .option('--status <status>', 'only runs with this status')
    .option('--watch', 'go on, and show what changes')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho runs --limit 100\n  tacho runs --status failed --json\n  tacho runs --watch',
    )
    .action(async (options: RunsOptions) => {
      const { listRuns } = await import('./list-runs.ts');
      await listRuns(options);
    });
  withCommonOptions(command);
}
