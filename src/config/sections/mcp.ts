import * as z from 'zod';
import { duration, flag, list, named, text, variableName } from '../field.ts';

/** The name of a server is part of the names of its tools. */
const name = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a name has lower-case letters, digits, - and _, 32 at most');

const serverSchema = z
  .strictObject({
    command: list('The program of a server that speaks over its streams, with its arguments.', {
      item: /^[^\0]*$/,
      of: 'words: a program and its arguments',
    }).optional(),
    url: text('The address of a server that speaks HTTP.', {
      pattern: /^https?:\/\/[^\s@]+$/,
      accepts: 'an http:// or https:// address without a user name or password',
    }).optional(),
    token_env: variableName('With url: the variable with the bearer token.').optional(),
    enabled: flag('Whether agents can use it.').default(true),
    tools: list('Its tools that agents may use.', {
      item: /^[^\0\s]{1,128}$/,
      of: 'tool names; * matches any characters',
    }).default(['*']),
    timeout_ms: duration('Timeout of a request to the server.', { min: 100, max: 3_600_000 }).default(60_000),
  })
  .check((context) => void context.issues.push(...wrongAddress(context.value)));

/** Servers whose tools agents can use. */
export const mcpSchema = z.strictObject({
  servers: named(z.record(name, serverSchema), 'MCP servers by their names.', {
    of: '{command | url, token_env, enabled, tools, timeout_ms}',
  }),
});

interface Address {
  command?: unknown[] | undefined;
  url?: unknown;
  token_env?: unknown;
}

function wrongAddress(server: Address): z.core.$ZodRawIssue[] {
  const issue = (key: string, complaint: string): z.core.$ZodRawIssue => {
    return { code: 'custom', path: [key], input: server, params: { complaint } };
  };
  if ((server.command === undefined) === (server.url === undefined)) {
    return [issue('command', 'is missing, or url is: an MCP server has exactly one of them')];
  }
  if (server.command?.length === 0) return [issue('command', 'is empty: it begins with a program')];
  const foreign = server.token_env !== undefined && server.url === undefined;
  return foreign ? [issue('token_env', 'cannot be used here: it requires url')] : [];
}
