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
  ssh build-1 tacho runtime --stdio    serve another machine over ssh

tacho terminal and the client start the daemon when they need it. Its files are in .tacho/runtime of the workspace.`;

const SERVE_EXAMPLES = `
Examples:
  tacho runtime serve
  TACHO_RUNTIME_TOKEN=… tacho runtime serve --http 127.0.0.1:7434`;

export function registerRuntime(program: Command): void {
  const runtime = program
    .command('runtime')
    .summary('control the daemon that keeps a workspace’s terminals')
    .description('Controls the daemon of a workspace, which keeps terminals alive between commands.')
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
    'show whether the daemon is running',
    'Shows whether the daemon is running, its sessions and limits.',
  );
  addAction(runtime, 'cleanup', 'end all sessions', 'Ends all sessions of the daemon; the daemon keeps running.');
  addAction(runtime, 'stop', 'end all sessions and the daemon', 'Ends all sessions and the daemon.');
  const serve = runtime
    .command('serve')
    .summary('serve the workspace in the foreground')
    .description('Serves the workspace in the foreground until it is stopped or idle.')
    .option('--idle <duration>', 'exit after this long without sessions and calls (default: 15m; with --http never)')
    .option('--http <host:port>', 'serve HTTP as well, with the token in TACHO_RUNTIME_TOKEN')
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

MCP clients start it, for example with {"command": "tacho", "args": ["mcp", "--workspace", "/home/you/project"]}. Its
sessions are those of tacho terminal in the same workspace, and keep running when the client disconnects.`;

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .summary('serve a workspace’s terminals as MCP tools')
    .description(
      'Serves the terminals and files of a workspace as tools of the Model Context Protocol, over stdin and stdout.',
    )
    .option('--workspace <folder>', 'workspace to serve (default: the current folder)')
    .addHelpText('after', MCP_EXAMPLES)
    .action(async (options: McpCommandOptions) => {
      const { serveWorkspaceTools } = await import('../terminal/mcp.ts');
      await serveWorkspaceTools(options);
    });
}
