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
      const { recoverRuns } = await import('./recover-runs.ts');
      await recoverRuns(selector, options);
    });
  withCommonOptions(command);
}
