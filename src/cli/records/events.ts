import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface EventsOptions extends CommonOptions {
  follow?: boolean;
  fromSeq?: string;
  fromTs?: string;
  toTs?: string;
  type?: string;
  limit?: string;
}

export function registerEvents(program: Command): void {
  const command = program
    .command('events')
    .summary('the events of a run')
    .description('Prints the events of a run, oldest first: a line each, or with --json as they are kept.')
    .argument('<run>', 'run id, handle, its beginning, "last", or a path')
    .option('-f, --follow', 'go on with new events until the run ends')
    .option('--from-seq <n>', 'start at this event')
    .option('--from-ts <time>', 'start at this time (ISO 8601)')
    .option('--to-ts <time>', 'stop after this time')
    .option('--type <prefix>', 'only types that begin so, e.g. raw or lifecycle.run')
    .option('--limit <n>', 'at most so many')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho events last\n  tacho events last --follow --type raw\n  tacho events last --json --from-seq 100',
    )
    .action(async (selector: string, options: EventsOptions) => {
      const { printEvents } = await import('./print-events.ts');
      await printEvents(selector, options);
    });
  withCommonOptions(command);
}
