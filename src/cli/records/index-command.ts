import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerIndex(program: Command): void {
  const index = program
    .command('index')
    .summary('the index of all runs')
    .description('The index by which the server lists and searches runs. It is made from the run folders.');
  const rebuild = index
    .command('rebuild')
    .description('Makes the index again from the run folders. The server has to be stopped for it.')
    .addHelpText('after', '\nExamples:\n  tacho index rebuild')
    .action(async (options: CommonOptions) => {
      const { rebuildIndex } = await import('./rebuild-index.ts');
      await rebuildIndex(options);
    });
  withCommonOptions(rebuild);
}
