import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface VerifyOptions extends CommonOptions {
  key?: string;
}

export function registerVerify(program: Command): void {
  const command = program
    .command('verify')
    .summary('prove that a record was not changed')
    .description('Recomputes every hash of a run and checks its signatures. Names the place that does not match.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('--key <id>', 'insist that every seal was signed with this key')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho verify last\n  tacho verify /mnt/archive/20261115T083000-text-3f2a9c1b --json\n\nExit code 0: intact. 1: changed, or cut off before it was sealed.',
    )
    .action(async (selector: string, options: VerifyOptions) => {
      const { verifyCommand } = await import('./verify-command.ts');
      process.exitCode = await verifyCommand(selector, options);
    });
  withCommonOptions(command);
}
