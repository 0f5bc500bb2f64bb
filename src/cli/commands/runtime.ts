import type { Command } from 'commander';
import { type RuntimeOptions, withRuntimeOptions } from '../terminal/runtime-options.ts';

export interface ServeOptions extends RuntimeOptions {
  idle?: string;
  http?: string;
  stdio?: boolean;
  keep?: boolean;
}

const RUNTIME_EXAMPLES = `
Examples:
  tacho runtime status
  tacho runtime serve --idle 10m
  ssh build-1 tacho runtime --stdio    the protocol over the streams of a process

The daemon of a workspace is started by whatever needs it (tacho terminal, the client). Its files are in
<workspace>/.tacho/runtime.`;

const SERVE_EXAMPLES = `
Examples:
  tacho runtime serve
  TACHO_RUNTIME_TOKEN=$(openssl rand -hex 32) tacho runtime serve --http 127.0.0.1:7434`;

export function registerRuntime(program: Command): void {
  const runtime = program
    .command('runtime')
    .summary('control the daemon that keeps a workspace’s terminals')
    .description('The daemon of a workspace: it keeps terminals alive across calls and processes.')
    .option('--stdio', 'serve the streams of this process; sessions end with them')
    .option('--keep', 'with --stdio: let the daemon of the workspace serve them, so that sessions keep running')
    .addHelpText('after', RUNTIME_EXAMPLES)
    .action(async (options: ServeOptions, command: Command) => {
      if (!options.stdio) return void command.outputHelp();
      const { serveStdio } = await import('../terminal/runtime-serve.ts');
      await serveStdio(options);
    });
  withRuntimeOptions(runtime);
  addAction(
    runtime,
    'status',
    'show whether the daemon runs',
    'Shows whether the daemon runs, its sessions and limits.',
  );
  addAction(runtime, 'cleanup', 'end all sessions', 'Ends all sessions of the daemon; the daemon keeps running.');
  addAction(runtime, 'stop', 'end all sessions and the daemon', 'Ends all sessions and the daemon.');
  const serve = runtime
    .command('serve')
    .summary('serve the workspace in the foreground')
    .description('Serves the workspace in the foreground until it is stopped or idle.')
    .option(
      '--idle <duration>',
      'how long it stays without a session and without a call (default: 15m; with --http for ever)',
    )
    .option('--http <host:port>', 'also by HTTP, with the token in TACHO_RUNTIME_TOKEN')
    .addHelpText('after', SERVE_EXAMPLES)
    .action(async (_options: ServeOptions, command: Command) => {
      const { serveWorkspace } = await import('../terminal/runtime-serve.ts');
      await serveWorkspace(command.optsWithGlobals());
    });
  withRuntimeOptions(serve);
}

function addAction(runtime: Command, name: 'status' | 'cleanup' | 'stop', summary: string, description: string): void {
  const action = runtime
    .command(name)
    .summary(summary)
    .description(description)
    .addHelpText('after', `\nExamples:\n  tacho runtime ${name}\n  tacho runtime ${name} --workspace ~/project --json`)
    .action(async (_options: RuntimeOptions, command: Command) => {
      const actions = await import('../terminal/runtime-actions.ts');
      await actions[name](command.optsWithGlobals());
    });
  withRuntimeOptions(action);
}

export interface McpCommandOptions {
  workspace?: string;
}

const MCP_EXAMPLES = `
Examples:
  tacho mcp --workspace ~/project

A client of MCP starts it, as in {"command": "tacho", "args": ["mcp", "--workspace", "/home/you/project"]}. The sessions
are the workspace's, the same as those of tacho terminal, and stay when the client goes.`;

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve a workspace’s terminals as MCP tools')
    .description(
      'Serves the terminals and files of a workspace as tools of the Model Context Protocol, over stdin and stdout.',
    )
    .option('--workspace <folder>', 'whose terminals and files they are (default: the current folder)')
    .addHelpText('after', MCP_EXAMPLES)
    .action(async (options: McpCommandOptions) => {
      const { serveWorkspaceTools } = await import('../terminal/mcp.ts');
      await serveWorkspaceTools(options);
    });
}
