import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface LogsOptions extends CommonOptions {
  follow?: boolean;
  lines: string;
}

export function registerLogs(program: Command): void {
  const command = program
    .command('logs')
    .summary('the log of the server')
    .description('Prints the last lines of the server’s log. What runs printed is in: tacho raw.')
    .option('-f, --follow', 'go on, and print what is added')
    .option('-n, --lines <n>', 'so many of the last lines', '50')
    .addHelpText('after', '\nExamples:\n  tacho logs\n  tacho logs -f -n 10')
    .action(async (options: LogsOptions) => {
      const { printLogs } = await import('./print-logs.ts');
      await printLogs(options);
    });
  withCommonOptions(command);
}
