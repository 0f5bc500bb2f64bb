import type { Command } from 'commander';

export interface McpCommandOptions {
  workspace?: string;
}

const EXAMPLES = `
Examples:
  tacho mcp --workspace ~/project

A client of MCP starts it, as in {"command": "tacho", "args": ["mcp", "--workspace", "/home/you/project"]}. The sessions
are the workspace's, the same as those of tacho terminal, and stay when the client goes.`;

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .summary('the terminals of a workspace as tools of MCP')
    .description(
      'Serves the terminals and files of a workspace as tools of the Model Context Protocol, over stdin and stdout.',
    )
    .option('--workspace <folder>', 'whose terminals and files they are (default: the current folder)')
    .addHelpText('after', EXAMPLES)
    .action(async (options: McpCommandOptions) => {
      const { serveWorkspaceTools } = await import('./mcp-serve.ts');
      await serveWorkspaceTools(options);
    });
}
