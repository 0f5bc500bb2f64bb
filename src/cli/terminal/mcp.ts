import { ensureServer } from '../../runtime/index.ts';
import { serveMcp } from '../../runtime/mcp/serve-mcp.ts';
import type { McpCommandOptions } from '../commands/runtime.ts';
import { warnOfWorkspace } from '../output/ignored-settings.ts';
import { readVersion } from '../version.ts';

/** `tacho mcp` */
export async function serveWorkspaceTools({ workspace = process.cwd() }: McpCommandOptions): Promise<void> {
  warnOfWorkspace(workspace);
  await serveMcp({
    streams: { input: process.stdin, output: process.stdout },
    client: ensureServer({ workspace }),
    version: readVersion(),
    // Stdout belongs to the protocol; clients keep stderr for troubleshooting.
    onError: ({ message }) => process.stderr.write(`tacho: ${message}\n`),
  });
}
