import type { Command } from 'commander';
import { type CommonOptions, openContext, withCommonOptions } from './context.ts';

export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .summary('how a run went')
    .description('Shows how a run went, attempt by attempt, and what is missing if its recorder died.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .addHelpText('after', '\nExamples:\n  tacho show last\n  tacho show 3f2a9c1b --json')
    .action(async (selector: string, options: CommonOptions) => {
      const { showRun } = await import('./show-run.ts');
      showRun(openContext(options), selector, options.json ?? false);
    });
  withCommonOptions(command);
}
