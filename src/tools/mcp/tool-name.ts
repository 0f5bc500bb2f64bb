import { createHash } from 'node:crypto';

/** What providers accept. */
const MAX_NAME = 64;
const PLAIN = /^[a-zA-Z0-9_-]+$/;
const HASH_CHARS = 12;

/**
 * The name of a tool of an MCP server for models and policies: `mcp__<server>__<tool>`. A name that is too long or has
 * other characters is shortened and ends with a hash of the real one, so it is the same in every run. `server` has at
 * most 32 letters, digits, `-` and `_`.
 */
export function mcpToolName(server: string, tool: string): string {
  const prefix = `mcp__${server}__`;
  const name = `${prefix}${tool}`;
  // With `__` in the name of a server, or `_` at its end, two servers could have the same name for different tools.
  const isClear = !server.includes('__') && !server.endsWith('_');
  if (isClear && PLAIN.test(tool) && name.length <= MAX_NAME) return name;
  const hash = createHash('sha256')
    .update(JSON.stringify([server, tool]))
    .digest('hex')
    .slice(0, HASH_CHARS);
  const left = MAX_NAME - prefix.length - HASH_CHARS - 1;
  return `${prefix}${tool.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, left)}_${hash}`;
}
