import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { command, type DaemonUnderTest } from '../../acceptance/runtime/daemon.ts';

/** The answer of a tool, with its text joined. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests check its shape.
  structured: any;
  text: string;
  /** The text of each block. */
  blocks: string[];
  isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  error: any;
}

export interface McpUnderTest {
  client: Client;
  pid: number;
  call(tool: string, params?: Record<string, unknown>): Promise<Answer>;
}

/** One client for all tests of a file, for a running daemon. */
export function sharedMcp(daemon: DaemonUnderTest): McpUnderTest {
  const shared = {} as McpUnderTest;
  const ends: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    await daemon.client().call('system.ping', {});
    Object.assign(shared, await connectMcp(daemon.workspace, { whenDone: (end) => void ends.push(end) }));
  });
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return shared;
}

/** A real client that started `tacho mcp`; both end with the test. */
export async function connectMcp(
  workspace: string,
  options: ClientOptions & { whenDone?: (end: () => Promise<void>) => void } = {},
): Promise<McpUnderTest> {
  const { whenDone = onTestFinished, ...clientOptions } = options;
  const [program, ...words] = command;
  const transport = new StdioClientTransport({
    command: program!,
    args: [...words, 'mcp', '--workspace', workspace],
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr!.on('data', (bytes) => (complaints += String(bytes)));
  const client = new Client({ name: 'test', version: '1' }, clientOptions);
  const broken: Error[] = [];
  client.onerror = (error) => void broken.push(error);
  await client.connect(transport);
  whenDone(async () => {
    await client.close();
    // A line on stdout that is not a message would have caused one of these.
    expect(broken).toEqual([]);
    expect(complaints).toBe('');
  });
  return { client, pid: transport.pid!, call: (tool, params = {}) => callTool(client, tool, params) };
}

async function callTool(client: Client, name: string, params: Record<string, unknown>): Promise<Answer> {
  const result = await client.callTool({ name, arguments: params });
  const blocks = result.content.map((block) => (block.type === 'text' ? block.text : ''));
  return {
    structured: result.structuredContent,
    text: blocks.join('\n'),
    blocks,
    isError: result.isError ?? false,
    error: result._meta?.['tacho/error'],
  };
}
