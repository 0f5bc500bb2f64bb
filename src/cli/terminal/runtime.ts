import type { Command } from 'commander';
import { type RuntimeOptions, withRuntimeOptions } from './runtime-options.ts';

export interface ServeOptions extends RuntimeOptions {
  idle?: string;
  http?: string;
  stdio?: boolean;
  keep?: boolean;
}

const EXAMPLES = `
Examples:
  tacho runtime status
  tacho runtime serve --idle 10m
  ssh build-1 tacho runtime --stdio    the protocol over the streams of a process

The daemon of a workspace is started by whatever needs it (tacho terminal, the client). Its files are in
<workspace>/.tacho/runtime.`;

const HTTP_EXAMPLES = `
Examples:
  tacho runtime serve
  TACHO_RUNTIME_TOKEN=$(openssl rand -hex 32) tacho runtime serve --http 127.0.0.1:7434`;

export function registerRuntime(program: Command): void {
  const runtime = program
    .command('runtime')
    .summary('the daemon that keeps the terminals of a workspace')
    .description('The daemon of a workspace: it keeps terminals alive across calls and processes.')
    .option('--stdio', 'serve the streams of this process; sessions end with them')
    .option('--keep', 'with --stdio: let the daemon of the workspace serve them, so that sessions go on')
    .addHelpText('after', EXAMPLES)
    .action(async (options: ServeOptions, command: Command) => {
      if (!options.stdio) return void command.outputHelp();
      const { serveStdio } = await import('./runtime-serve.ts');
      await serveStdio(options);
    });
  withRuntimeOptions(runtime);
  addAction(runtime, 'status', 'Says whether the daemon runs, and what it holds.');
  addAction(runtime, 'cleanup', 'Ends all sessions of the daemon; it stays.');
  addAction(runtime, 'stop', 'Ends all sessions and the daemon.');
  const serve = runtime
    .command('serve')
    .description('Serves the workspace in the foreground, until it is told to stop or has nothing to do.')
    .option(
      '--idle <duration>',
      'how long it stays without a session and without a call (default: 15m; with --http for ever)',
    )
    .option('--http <host:port>', 'also by HTTP, with the token in TACHO_RUNTIME_TOKEN')
    .addHelpText('after', HTTP_EXAMPLES)
    .action(async (_options: ServeOptions, command: Command) => {
      const { serveWorkspace } = await import('./runtime-serve.ts');
      await serveWorkspace(command.optsWithGlobals());
    });
  withRuntimeOptions(serve);
}

function addAction(runtime: Command, name: 'status' | 'cleanup' | 'stop', description: string): void {
  const action = runtime
    .command(name)
    .description(description)
    .addHelpText('after', `\nExamples:\n  tacho runtime ${name}\n  tacho runtime ${name} --workspace ~/project --json`)
    .action(async (_options: RuntimeOptions, command: Command) => {
      const actions = await import('./runtime-actions.ts');
      await actions[name](command.optsWithGlobals());
    });
  withRuntimeOptions(action);
}
