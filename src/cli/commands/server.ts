import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export function registerOpen(program: Command): void {
  const command = program
    .command('open')
    .summary('open the Studio, the page of the server')
    .description(
      'Prints the address of the Studio, or of one run in it, and opens it if this machine has a browser. Requires a server: tacho start.',
    )
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path')
    .addHelpText('after', '\nExamples:\n  tacho open\n  tacho open last')
    .action(async (selector: string | undefined, options: CommonOptions) => {
      const { openStudio } = await import('../service/open.ts');
      await openStudio(selector, options);
    });
  withCommonOptions(command);
}

export function registerStatus(program: Command): void {
  const command = program
    .command('status')
    .summary('show the server and the live runs')
    .description('Shows whether a server is running, and the runs that have not ended.')
    .addHelpText('after', '\nExamples:\n  tacho status\n  tacho status --json')
    .action(async (options: CommonOptions) => {
      const { showStatus } = await import('../service/status.ts');
      showStatus(options);
    });
  withCommonOptions(command);
}

export function registerStop(program: Command): void {
  const command = program
    .command('stop')
    .summary('stop the server; live runs keep running')
    .description('Stops the server of this data folder. Live runs keep running. To end a run: tacho cancel.')
    .addHelpText('after', '\nExamples:\n  tacho stop')
    .action(async (options: CommonOptions) => {
      const { stopServer } = await import('../service/stop.ts');
      await stopServer(options);
    });
  withCommonOptions(command);
}
