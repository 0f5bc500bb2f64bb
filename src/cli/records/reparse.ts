import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

const EXAMPLES = `
Examples:
  tacho reparse last
  tacho reparse 3f2a9c1b --json

Exits with 0 when the recorded bytes give exactly the recorded events, with 1 when they do not.`;

export function registerReparse(program: Command): void {
  const command = program
    .command('reparse')
    .summary('read a run’s bytes again and compare the events')
    .description(
      'Reads the recorded bytes again with today’s parser and compares the events with those recorded. Nothing is changed.',
    )
    .argument('<run>', 'a handle, a run id, the beginning of either, or last')
    .addHelpText('after', EXAMPLES)
    .action(async (selector: string, options: CommonOptions) => {
      const { reparseRun } = await import('./reparse-run.ts');
      process.exitCode = await reparseRun(selector, options);
    });
  withCommonOptions(command);
}
