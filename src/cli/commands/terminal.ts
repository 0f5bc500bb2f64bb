import type { Command } from 'commander';
import { type RuntimeOptions, withRuntimeOptions } from '../terminal/runtime-options.ts';
import type { WriteOptions } from '../terminal/terminal-actions.ts';
import type { AttachOptions } from '../terminal/terminal-attach.ts';
import type { CreateOptions } from '../terminal/terminal-create.ts';
import type { ExecOptions } from '../terminal/terminal-exec.ts';
import {
  withEnvironmentOptions,
  withLimitOptions,
  withPlaceOptions,
  withSandboxOptions,
  withTimeOptions,
} from '../terminal/terminal-options.ts';
import type { ReadOptions } from '../terminal/terminal-read.ts';
import type { ScreenOptions } from '../terminal/terminal-screen.ts';
import type { WaitOptions } from '../terminal/terminal-wait.ts';

const EXAMPLES = `
Examples:
  tacho terminal create --name build      a persistent shell
  tacho terminal exec build -- make       run a command in it
  tacho terminal create -n top -- htop    a program on a terminal
  tacho terminal attach top               watch it and type; Ctrl-] detaches
  tacho terminal ls
  tacho terminal kill build top

Sessions belong to a workspace, by default the current folder, and are kept by its daemon (tacho runtime). Refer to a
session by its name, its id, or the beginning of its id.`;

const SESSION = 'name of a session, its id, or the beginning of its id';

/** Adds a command below `terminal`. */
type Add = (name: string, texts: { summary: string; description: string; examples: readonly string[] }) => Command;

export function registerTerminal(program: Command, afterDashes: readonly string[]): void {
  const terminal = program
    .command('terminal')
    .summary('manage persistent terminal sessions')
    .description(
      'Manages sessions that keep running between commands: shells, single programs and interactive terminals.',
    )
    .addHelpText('after', EXAMPLES)
    .action((_options: object, command: Command) => command.outputHelp());
  const add: Add = (name, { summary, description, examples }) => {
    const lines = examples.map((example) => `  tacho terminal ${example}`).join('\n');
    const command = terminal.command(name).summary(summary);
    return command.description(description).addHelpText('after', `\nExamples:\n${lines}`);
  };
  registerCreate(add, afterDashes);
  registerLooks(add);
  registerExec(add, afterDashes);
  registerStreams(add);
  registerActions(add);
  for (const command of terminal.commands) withRuntimeOptions(command.optionsGroup('Options:'));
}

function registerCreate(add: Add, afterDashes: readonly string[]): void {
  const create = add('create', {
    summary: 'open a session and print its id',
    description:
      'Opens a session and prints its id. Words after -- are the program of an exec or pty session; a shell, or a pty without a program, runs a shell.',
    examples: [
      'create --name build',
      'create --name top --size 120x40 -- htop',
      'create --kind exec --record --timeout 1h -- make -j4',
      'create --memory 2GiB --processes 200 --sandbox --hide .env',
      'create --target ssh:build-1 --env TOKEN --env MODE=ci',
    ],
  })
    .option('-k, --kind <kind>', 'shell, exec or pty (default: pty with a program, else shell)')
    .option('-n, --name <name>', 'name of the session')
    .option('--shell <name>', 'bash, zsh or sh (default: bash if installed)');
  withPlaceOptions(create)
    .option('--size <cols>x<rows>', 'size of a pty (default: 80x24)')
    .option('--split', 'give stderr of a pty its own terminal and stream')
    .option('--buffer <size>', 'output of each stream to keep for readers (default: 1MiB)');
  withTimeOptions(create)
    .option('--idle <time>', 'end the session after this long without use')
    .option('--life <time>', 'end the session after this long in any case')
    .option('--linger <time>', 'wait this long for output after the exit (default: 250ms)');
  withSandboxOptions(withLimitOptions(withEnvironmentOptions(create))).action(async (options: CreateOptions) => {
    const { createSession } = await import('../terminal/terminal-create.ts');
    await createSession(options, afterDashes);
  });
}

function registerLooks(add: Add): void {
  add('ls', {
    summary: 'list the sessions',
    description: 'Lists the sessions, including those that have ended but can still be read.',
    examples: ['ls', 'ls --json'],
  })
    .alias('list')
    .action(async (options: RuntimeOptions) => {
      const { listSessions } = await import('../terminal/terminal-list.ts');
      await listSessions(options);
    });
  add('info', {
    summary: 'show the details of a session',
    description: 'Shows the details of a session: its program, streams, limits and recording, and how it ended.',
    examples: ['info build', 'info s-3f2a --json'],
  })
    .argument('<session>', SESSION)
    .action(async (session: string, options: RuntimeOptions) => {
      const { showSession } = await import('../terminal/terminal-info.ts');
      await showSession(session, options);
    });
  add('screen', {
    summary: 'print the screen of a pty session',
    description: 'Prints the screen of a pty session as text.',
    examples: ['screen top', "screen editor --wait-for '-- INSERT --' --timeout 5s"],
  })
    .argument('<session>', SESSION)
    .option('--wait-for <text>', 'wait until a line contains this; exit with 124 if none does')
    .option(
      '--timeout <time>',
      'maximum time to wait (default: 30s); without --wait-for, wait until the screen stops changing',
    )
    .action(async (session: string, options: ScreenOptions) => {
      const { showScreen } = await import('../terminal/terminal-screen.ts');
      await showScreen(session, options);
    });
  add('wait', {
    summary: 'wait for the end of a session',
    description: 'Waits for a session to end and exits with its exit code, or with 124 at the timeout.',
    examples: ['wait build', 'wait build --timeout 10m'],
  })
    .argument('<session>', SESSION)
    .option('--timeout <time>', 'stop waiting after this long; the session keeps running')
    .action(async (session: string, options: WaitOptions) => {
      const { waitForSession } = await import('../terminal/terminal-wait.ts');
      await waitForSession(session, options);
    });
}

function registerExec(add: Add, afterDashes: readonly string[]): void {
  const exec = add('exec', {
    summary: 'run a command, in a session or by itself',
    description:
      'Runs a command in a shell session, or a program by itself. Passes on its output and exit code; Ctrl-C ends it. Options for the place, environment, limits and sandbox apply only without a session: in a session, those of the session apply.',
    examples: [
      'exec build -- make test',
      "exec build -- 'cd src && export MODE=fast'",
      'exec --timeout 10s -- ls -l',
      'exec build -i -- wc -l <list.txt',
      'exec --sandbox --memory 1GiB --record -- node untrusted.mjs',
    ],
  })
    .argument('[session]', SESSION)
    .option('-i, --stdin', 'pass standard input to the command (read to its end first)');
  withTimeOptions(withPlaceOptions(exec));
  withSandboxOptions(withLimitOptions(withEnvironmentOptions(exec))).action(
    async (session: string | undefined, options: ExecOptions) => {
      const { execCommand } = await import('../terminal/terminal-exec.ts');
      await execCommand(session, options, afterDashes);
    },
  );
}

function registerStreams(add: Add): void {
  add('read', {
    summary: 'print the output of a session',
    description: 'Prints the output of a session.',
    examples: ['read build', 'read build --follow --stream stderr'],
  })
    .argument('<session>', SESSION)
    .option('--stream <name>', 'stdout or stderr', 'stdout')
    .option('--after <cursor>', 'start at this byte of the stream')
    .option('-f, --follow', 'follow until the session ends')
    .action(async (session: string, options: ReadOptions) => {
      const { readSession } = await import('../terminal/terminal-read.ts');
      await readSession(session, options);
    });
  add('write', {
    summary: 'type into a session',
    description: 'Types text, or piped input, into a session.',
    examples: ['write top q', 'write build yes --enter', 'write build --end <file'],
  })
    .argument('<session>', SESSION)
    .argument('[text]', 'text to type (default: standard input)')
    .option('--enter', 'press Enter after the text')
    .option('--end', 'close the input after the text (not of a pty: send Ctrl-D)')
    .action(async (session: string, text: string | undefined, options: WriteOptions) => {
      const { writeSession } = await import('../terminal/terminal-actions.ts');
      await writeSession(session, text, options);
    });
  add('attach', {
    summary: 'show a pty session and type into it',
    description: 'Shows a pty session and types into it, at the size of this terminal. Ctrl-] leaves it running.',
    examples: ['attach top', 'attach s-3f2a --read-only'],
  })
    .argument('<session>', SESSION)
    .option('--read-only', 'watch without typing or resizing')
    .action(async (session: string, options: AttachOptions) => {
      const { attachSession } = await import('../terminal/terminal-attach.ts');
      await attachSession(session, options);
    });
}

function registerActions(add: Add): void {
  add('resize', {
    summary: 'resize a pty session',
    description: 'Changes the size of a pty session.',
    examples: ['resize top 120x40'],
  })
    .argument('<session>', SESSION)
    .argument('<size...>', 'columns and rows, as 120x40 or 120 40')
    .action(async (session: string, size: string[], options: RuntimeOptions) => {
      const { resizeSession } = await import('../terminal/terminal-actions.ts');
      await resizeSession(session, size.join('x'), options);
    });
  add('signal', {
    summary: 'send a signal to a session’s program',
    description: 'Sends a signal to the command that runs in a session. An idle shell gets none.',
    examples: ['signal build INT', 'signal build SIGUSR1', 'signal build 9'],
  })
    .argument('<session>', SESSION)
    .argument('<signal>', 'name or number')
    .action(async (session: string, signal: string, options: RuntimeOptions) => {
      const { signalSession } = await import('../terminal/terminal-actions.ts');
      await signalSession(session, signal, options);
    });
  add('kill', {
    summary: 'end sessions and forget them',
    description: 'Ends sessions with all of their processes, and forgets them. To end all: tacho runtime cleanup.',
    examples: ['kill build', 'kill build s-3f2a'],
  })
    .argument('<session...>', SESSION)
    .action(async (sessions: string[], options: RuntimeOptions) => {
      const { killSessions } = await import('../terminal/terminal-actions.ts');
      await killSessions(sessions, options);
    });
}
