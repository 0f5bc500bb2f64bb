import type { Command } from 'commander';
import { type RuntimeOptions, withRuntimeOptions } from './runtime-options.ts';
import type { WriteOptions } from './terminal-actions.ts';
import type { CreateOptions } from './terminal-create.ts';
import type { ExecOptions } from './terminal-exec.ts';
import type { ReadOptions } from './terminal-read.ts';

const EXAMPLES = `
Examples:
  tacho terminal create --name build     a shell that lives on
  tacho terminal exec build -- make      its output, its exit code
  tacho terminal attach build            for a session of kind pty
  tacho terminal kill build

Terminals belong to a workspace, the current folder unless told otherwise, and are kept by its daemon: tacho runtime.`;

const SESSION = 'a session’s id, its beginning, or its name';

export function registerTerminal(program: Command, afterDashes: readonly string[]): void {
  const terminal = program
    .command('terminal')
    .summary('terminals that live on between commands')
    .description('Sessions in which commands run: shells, single programs, interactive terminals.')
    .addHelpText('after', EXAMPLES)
    .action((_options: object, command: Command) => command.outputHelp());
  const add = (usage: string, description: string, examples: readonly string[]): Command => {
    const command = terminal.command(usage).description(description);
    command.addHelpText('after', `\nExamples:\n${examples.map((example) => `  tacho terminal ${example}`).join('\n')}`);
    return withRuntimeOptions(command);
  };

  add('create', 'Opens a session and prints its id. What stands after -- is the program of an exec or pty session.', [
    'create --name build',
    'create --kind pty -- htop',
  ])
    .option('--kind <kind>', 'shell, exec or pty (default: pty with a program, else shell)')
    .option('--name <name>', 'a name to call it by')
    .option('--cwd <folder>', 'where it begins (default: the workspace)')
    .option('--env <NAME=value...>', 'set in its environment; NAME alone passes it on')
    .option('--size <cols>x<rows>', 'of a pty', '80x24')
    .option('--idle <duration>', 'ends it when nobody used it for that long')
    .action(async (options: CreateOptions) => {
      const { createSession } = await import('./terminal-create.ts');
      await createSession(options, afterDashes);
    });
  add('ls', 'Lists the sessions.', ['ls', 'ls --json']).action(async (options: RuntimeOptions) => {
    const { listSessions } = await import('./terminal-actions.ts');
    await listSessions(options);
  });
  add('exec', 'Runs a command in a shell session, or by itself without one. Its output and exit code become ours.', [
    'exec build -- make test',
    'exec --timeout 10s -- ls -l',
  ])
    .argument('[session]', SESSION)
    .option('--timeout <duration>', 'ends it after that long')
    .action(async (session: string | undefined, options: ExecOptions) => {
      const { execCommand } = await import('./terminal-exec.ts');
      await execCommand(session, options, afterDashes);
    });
  add('read', 'Prints what a session has printed.', ['read build', 'read build --follow --stream stderr'])
    .argument('<session>', SESSION)
    .option('--stream <name>', 'stdout or stderr', 'stdout')
    .option('--after <cursor>', 'from this byte of the stream on')
    .option('--follow', 'goes on until the session ends')
    .action(async (session: string, options: ReadOptions) => {
      const { readSession } = await import('./terminal-read.ts');
      await readSession(session, options);
    });
  add('write', 'Types into a session; without text, what is piped in.', [
    'write build yes --enter',
    'write build <file',
  ])
    .argument('<session>', SESSION)
    .argument('[text]', 'what is typed')
    .option('--enter', 'and a line end')
    .option('--end', 'and nothing more after it')
    .action(async (session: string, text: string | undefined, options: WriteOptions) => {
      const { writeSession } = await import('./terminal-actions.ts');
      await writeSession(session, text, options);
    });
  add('attach', 'Shows a pty session and types into it. Ctrl-] leaves it; it goes on.', ['attach s-3f2a'])
    .argument('<session>', SESSION)
    .action(async (session: string, options: RuntimeOptions) => {
      const { attachSession } = await import('./terminal-attach.ts');
      await attachSession(session, options);
    });
  add('resize', 'Gives a pty session another size.', ['resize build 120 40'])
    .argument('<session>', SESSION)
    .argument('<cols>', 'columns')
    .argument('<rows>', 'rows')
    .action(async (session: string, cols: string, rows: string, options: RuntimeOptions) => {
      const { resizeSession } = await import('./terminal-actions.ts');
      await resizeSession(session, [cols, rows], options);
    });
  add('signal', 'Sends a signal to what runs in a session.', ['signal build SIGINT', 'signal build usr1'])
    .argument('<session>', SESSION)
    .argument('<signal>', 'its name')
    .action(async (session: string, signal: string, options: RuntimeOptions) => {
      const { signalSession } = await import('./terminal-actions.ts');
      await signalSession(session, signal, options);
    });
  add('kill', 'Ends a session with all of its processes, and forgets it.', ['kill build'])
    .argument('<session>', SESSION)
    .action(async (session: string, options: RuntimeOptions) => {
      const { killSession } = await import('./terminal-actions.ts');
      await killSession(session, options);
    });
}
