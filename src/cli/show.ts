import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from './common-options.ts';

export function registerShow(program: Command): void {
  const command = program
    .command('show')
    .summary('how a run went')
    .description('Shows how a run went, attempt by attempt, and what is missing if its recorder died.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .addHelpText('after', '\nExamples:\n  tacho show last\n  tacho show 3f2a9c1b --json')
    .action(async (selector: string, options: CommonOptions) => {
      const { showRun } = await import('./show-run.ts');
      showRun(selector, options);
    });
  withCommonOptions(command);
}
