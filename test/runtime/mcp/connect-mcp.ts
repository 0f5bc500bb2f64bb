import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished } from 'vitest';
import { command } from '../../acceptance/runtime/daemon.ts';

/** What a tool answered, with its text as one. */
export interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it.
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

/** A real client that started `tacho mcp`; both are gone when the test is. */
export async function connectMcp(workspace: string, options: ClientOptions = {}): Promise<McpUnderTest> {
  const [program, ...words] = command;
  const transport = new StdioClientTransport({
    command: program!,
    args: [...words, 'mcp', '--workspace', workspace],
    env: process.env as Record<string, string>,
    stderr: 'pipe',
  });
  let complaints = '';
  transport.stderr!.on('data', (bytes) => (complaints += String(bytes)));
  const client = new Client({ name: 'test', version: '1' }, options);
  const broken: Error[] = [];
  client.onerror = (error) => void broken.push(error);
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    // A line on stdout that is no message would have been one of these.
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
