import type { Command } from 'commander';
import type { CommonOptions } from '../common-options.ts';

export interface PolicyTestOptions extends CommonOptions {
  cwd?: string;
  policy?: string;
  against?: string;
}

const TEST_HELP = `
Examples:
  tacho policy test 'git push --force'
  tacho policy test --against run-3f2a9c1b    an agent run of this folder
  tacho policy test --against 7c21b0aa        a run, by its handle
  tacho policy test --against last --policy draft.yaml

A draft is a configuration file; its section "safety" counts over your own.

Exit code: for a command line, 0 if it is allowed and 1 if not. With --against, 0 if
all verdicts are the same and 1 if one differs.`;

/** `tacho policy …` */
export function registerPolicy(program: Command): void {
  const policy = program
    .command('policy')
    .summary('test what agents may do')
    .description('Tests the policy for agents: the rules and defaults of the section "safety".')
    .addHelpText('after', "\nExamples:\n  tacho policy test 'npm publish'\n  tacho policy test --against last");
  policy
    .command('test')
    .summary('judge a command line, or the calls of a run')
    .description(
      'Judges a command line by the policy of this folder. With --against, judges every tool call of a recorded run again and prints those whose verdict differs.',
    )
    .argument('[line...]', 'the command line')
    .option('--against <run>', 'an agent run of this folder, a run id, handle or last, or the path of an agent log')
    .option('--policy <file>', 'a configuration file whose section "safety" counts over yours')
    .option('-C, --cwd <folder>', 'folder of the policy (default: that of the run, else the current one)')
    .option('--data <folder>', 'where runs and your settings are kept (default: $TACHO_HOME, else ~/.tacho)')
    .option('--json', 'answer as JSON')
    .addHelpText('after', TEST_HELP)
    .action(async (words: string[], options: PolicyTestOptions) => {
      const { testPolicy } = await import('../policy/test.ts');
      process.exitCode = await testPolicy(words, options);
    });
}
