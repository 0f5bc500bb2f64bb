import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

/** What the service starts for every attempt; of no use to people, so it is in no list. */
export function registerSupervise(program: Command): void {
  const command = program
    .command('supervise', { hidden: true })
    .description('Records the next attempt of a queued run.')
    .argument('<run>', 'run folder')
    .action(async (selector: string, options: CommonOptions) => {
      const { superviseRun } = await import('./supervise-run.ts');
      await superviseRun(selector, options);
    });
  withCommonOptions(command);
}
