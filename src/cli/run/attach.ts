import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

const EXAMPLES = `
Examples:
  tacho attach last
  tacho attach 3f2a9c1b --from-start      with what it printed so far

Ctrl-] detaches and leaves the run alone; every other key goes to it.`;

export function registerAttach(program: Command): void {
  const command = program
    .command('attach')
    .summary('take over the terminal of a live run')
    .description('Shows the terminal of a live run and types into it.')
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .option('--from-start', 'show all it printed so far first')
    .option('--read-only', 'look, and type nothing')
    .addHelpText('after', EXAMPLES)
    .action(async (selector: string, options: CommonOptions & { fromStart?: boolean; readOnly?: boolean }) => {
      const { attachRun } = await import('./attach-run.ts');
      await attachRun(selector, options);
    });
  withCommonOptions(command);
}
