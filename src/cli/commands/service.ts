import type { Command } from 'commander';
import { type CommonOptions, withCommonOptions } from '../common-options.ts';

export interface StartOptions extends CommonOptions {
  port?: string;
  host?: string;
}

const START_EXAMPLES = `
Examples:
  tacho start
  tacho start --port 0 --json    any free port; prints a line of JSON when ready
  curl -H "Authorization: Bearer tacho_…" http://127.0.0.1:7433/v1/runs

The access token is in the file token of the data folder (~/.tacho/token). It is printed to a terminal and with --json,
but not to other output, which may be a log.

Ctrl-C stops the server; active runs keep running.`;

export function registerStart(program: Command): void {
  const command = program
    .command('start')
    .summary('start the server and its page, the Studio')
    .description(
      'Starts the server: it queues and records runs, and streams, replays and answers them over HTTP and in the Studio.',
    )
    .option('--port <n>', 'port to listen on; 0: any free one (default: 7433)')
    .option('--host <name>', 'address to listen on (default: 127.0.0.1)')
    .addHelpText('after', START_EXAMPLES)
    .action(async (options: StartOptions) => {
      const { startServer } = await import('../service/start.ts');
      await startServer(options);
    });
  withCommonOptions(command);
}

export interface LogsOptions extends CommonOptions {
  follow?: boolean;
  lines?: string;
}

const LOGS_EXAMPLES = `
Examples:
  tacho logs last
  tacho logs 3f2a -n 20
  tacho logs last -f          follow a live run
  tacho logs -f -n 10         the server

The exact bytes of one stream: tacho raw. An agent’s own protocol: tacho raw --stream stdout.`;

export function registerLogs(program: Command): void {
  const command = program
    .command('logs')
    .summary('print what a run printed, or the log of the server')
    .description(
      'Prints what a run printed: the conversation of an agent, the output of a command. Without a run, prints the last lines of the server’s log.',
    )
    .argument('[run]', 'run id, handle, its beginning, last, last~1 or a path')
    .option('-f, --follow', 'keep running and print new lines')
    .option('-n, --lines <n>', 'number of lines to show (default: all of a run, 50 of the server’s log)')
    .addHelpText('after', LOGS_EXAMPLES)
    .action(async (selector: string | undefined, options: LogsOptions) => {
      if (selector === undefined) {
        const { printLogs } = await import('../service/logs.ts');
        await printLogs(options);
        return;
      }
      const { printRunOutput } = await import('../records/run-output.ts');
      await printRunOutput(selector, options);
    });
  withCommonOptions(command);
}

export function registerDoctor(program: Command): void {
  const command = program
    .command('doctor')
    .summary('check what works on this machine')
    .description('Checks what works on this machine, by trying it, and how to fix the rest.')
    .addHelpText(
      'after',
      '\nExamples:\n  tacho doctor\n  tacho doctor --json\n\nExits with 1 if something essential does not work.',
    )
    .action(async (options: CommonOptions) => {
      const { runDoctor } = await import('../service/doctor.ts');
      process.exitCode = await runDoctor(options);
    });
  withCommonOptions(command);
}

export interface TrustOptions extends CommonOptions {
  show?: boolean;
  hash?: string;
  list?: boolean;
  revoke?: boolean;
}

const TRUST_EXAMPLES = `
Examples:
  tacho trust                          show what this folder would set, and ask
  tacho trust ~/src/project --show     show it with its hash, without asking
  tacho trust --hash 3b0c…             for CI: trust exactly this content
  tacho trust --list
  tacho trust --revoke

The config/tacho.yaml and .env of a folder can choose which programs run with your keys. Until you trust them, only
settings that are harmless or stricter take effect. The skills in skills/ and .tacho/skills/ are instructions for
agents; until you trust them they are ignored. Trust ends when a byte of them changes or the folder moves.`;

export function registerTrust(program: Command): void {
  const command = program
    .command('trust')
    .summary('trust the settings and skills of a folder')
    .description(
      'Lets config/tacho.yaml and .env of a folder set everything and agents use its skills, after showing them.',
    )
    .argument('[folder]', 'the workspace (default: this folder)')
    .option('--show', 'show what they would set and the hash of their content, without asking')
    .option('--hash <sha256>', 'trust without asking if their content has this hash')
    .option('--list', 'list trusted folders')
    .option('--revoke', 'stop trusting the folder')
    .addHelpText('after', TRUST_EXAMPLES)
    .action(async (folder: string | undefined, options: TrustOptions) => {
      const { trustCommand } = await import('../service/trust.ts');
      await trustCommand(folder ?? process.cwd(), options);
    });
  withCommonOptions(command);
}
