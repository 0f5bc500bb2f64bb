import { TachoError } from '../../protocol/error-code.ts';
import type { ToolSource } from '../tool-source.ts';
import type { KnownTools } from './known-tools.ts';

const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,31}$/;
const TIMEOUT_MS = 60_000;
/** The longest time that a timer takes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export interface McpServerOptions {
  /** Part of the names of its tools, `mcp__<name>__<tool>`: up to 32 letters, digits, `-` and `_`. */
  name: string;
  /** A program that speaks MCP over its streams, with its arguments. It is started without a shell, in the workspace. */
  command?: readonly string[] | undefined;
  /** The address of a server that speaks MCP over HTTP (streamable HTTP). */
  url?: string | undefined;
  /** With `url`: the bearer token. It appears in no log. */
  token?: string | undefined;
  /** The tools to use, by their names there; `*` matches any characters (default: all). */
  tools?: readonly string[] | undefined;
  /** Of a request to the server, and of its start (default: one minute). */
  timeoutMs?: number | undefined;
  /** With `command`: variables for it, besides those of the agent and PATH and HOME of this process. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Remembers across runs which tools were accepted, and as what; see `knownToolsIn`. Without it, each run starts anew. */
  knownTools?: KnownTools | undefined;
}

/**
 * The tools of an MCP server, for `toolSources` of an agent. Nothing happens before a run begins. Throws USAGE for
 * options that cannot work.
 */
export function mcpServer(options: McpServerOptions): ToolSource {
  const { name, command, url, token, timeoutMs = TIMEOUT_MS } = options;
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw usage(`invalid name ${JSON.stringify(name)} of an MCP server`, 'Use up to 32 letters, digits, - and _.');
  }
  if ((command === undefined) === (url === undefined)) {
    throw usage(`the MCP server ${name} needs command or url`, 'Pass exactly one of them.');
  }
  if (command !== undefined && !command[0]) {
    throw usage(`the command of the MCP server ${name} is empty`, 'Begin it with a program.');
  }
  if (url !== undefined) checkUrl(name, url);
  if (token !== undefined && url === undefined) {
    throw usage(`the MCP server ${name} has a token and no url`, 'Pass variables of a program in env.');
  }
  if (!(timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
    throw usage(`invalid timeoutMs of the MCP server ${name}`, `Use a number up to ${MAX_TIMEOUT_MS}.`);
  return {
    name: `mcp:${name}`,
    openTimeoutMs: timeoutMs,
    secrets: token === undefined ? [] : [{ name: `mcp:${name}.token`, value: token }],
    open: async (opening) => {
      const { openServer } = await import('./open-server.ts');
      return await openServer({ ...options, timeoutMs }, opening);
    },
  };
}

function checkUrl(name: string, url: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
  // A password in an address would be printed with it.
  if (isHttp && parsed?.username === '' && parsed.password === '') return;
  throw usage(`invalid url of the MCP server ${name}`, 'Use an http:// or https:// address; pass a token in token.');
}

function usage(what: string, fix: string): TachoError {
  return new TachoError('USAGE', what, { fix });
}
