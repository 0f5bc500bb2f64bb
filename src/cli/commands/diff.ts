import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface DiffOptions extends CommonOptions {
  attempt?: string;
  stat?: boolean;
  nameOnly?: boolean;
  relative?: boolean;
}

export function registerDiff(program: Command): void {
  const command = program
    .command('diff')
    .summary('print the changes a run made to files')
    .description(
      'Prints the changes a run made to the files of its workspace as a patch for git apply. Exits with 3 if content is missing.',
    )
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path', 'last')
    .option('--attempt <n>', 'only the changes of this attempt (default: of all attempts together)')
    .option('--stat', 'number of changed lines per file')
    .option('--name-only', 'names of changed files')
    .option('--relative', 'paths relative to the workspace, even inside a git repository')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho diff\n  tacho diff last --stat\n  tacho diff 3f2a9c1b --attempt 1 > attempt.patch\n  tacho diff last | git apply -R',
    )
    .action(async (selector: string, options: DiffOptions) => {
      const { printDiff } = await import('../diff/print-diff.ts');
      await printDiff(selector, options);
    });
  withCommonOptions(command);
}
