import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .summary('what works on this machine')
    .description('Finds out by trying what works on this machine, and says how to fix what does not.')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho doctor\n  tacho doctor --json\n\nExit code 1 when something tacho cannot do without is missing.',
    )
    .action(async (options: CommonOptions) => {
      const { runDoctor } = await import('./run-doctor.ts');
      process.exitCode = await runDoctor(options);
    });
  withCommonOptions(command);
}
