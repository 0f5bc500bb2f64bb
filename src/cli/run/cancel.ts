import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerCancel(program: Command): void {
  const command = program
    .command('cancel')
    .summary('end a run')
    .description('Ends a run: SIGTERM to all of its processes, then SIGKILL. Its record is completed and sealed.')
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .addHelpText('after', '\nExamples:\n  tacho cancel last\n  tacho cancel 3f2a9c1b')
    .action(async (selector: string, options: CommonOptions) => {
      const { endRun } = await import('./end-run.ts');
      await endRun(selector, options);
    });
  withCommonOptions(command);
}
