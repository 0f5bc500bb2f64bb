import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface StartOptions extends CommonOptions {
  port?: string;
  host?: string;
}

const EXAMPLES = `
Examples:
  tacho start
  tacho start --port 0 --json          any free port; one line of JSON when it is ready
  curl -H "Authorization: Bearer tacho_…" http://127.0.0.1:7433/v1/runs

The token is printed when the server is ready, and kept in the file token of the data folder (~/.tacho/token).
Ctrl-C stops the server; runs that are going on go on.`;

export function registerStart(program: Command): void {
  const command = program
    .command('start')
    .summary('serve runs over HTTP')
    .description(
      'Starts the server: queues and runs what it is asked to, and streams, replays and answers runs over HTTP.',
    )
    .option('--port <n>', 'port to listen on; 0 is any free one (default: 7433)')
    .option('--host <name>', 'address to listen on (default: 127.0.0.1)')
    .addHelpText('after', EXAMPLES)
    .action(async (options: StartOptions) => {
      const { startServer } = await import('./start-server.ts');
      await startServer(options);
    });
  withCommonOptions(command);
}
