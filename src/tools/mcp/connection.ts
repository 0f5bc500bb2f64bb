import type { Client } from '@modelcontextprotocol/client';
import { ToolFailure } from '../tool-failure.ts';
import { HttpTransport } from './http-transport.ts';
import type { Ending, ServerTransport } from './server-transport.ts';
import { StdioTransport } from './stdio-transport.ts';

/** A server to start, or one that is there. */
export type ServerAddress =
  | { argv: readonly string[]; cwd: string; env: Record<string, string> }
  | { url: URL; token: string | undefined };

export interface RequestOptions {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Accepts any answer: what is used of it is checked where it is used, item by item. */
const ANY_RESULT = {
  '~standard': {
    version: 1,
    vendor: 'tacho',
    validate: (value: unknown) => ({ value: value as Record<string, unknown> }),
  },
} as const;

/** The server speaks MCP, but not well: the call fails, and the connection stays. */
export function invalidAnswer(what: string): ToolFailure {
  return new ToolFailure('failed', `the MCP server gave an answer that is not valid: ${what}`);
}

/** One connection to a server. It is over with the first thing that is wrong, and never used again. */
export class Connection {
  readonly #client: Client;
  readonly #server: ServerTransport;

  /** Throws what is wrong, after everything that was started has ended. */
  static async open(
    address: ServerAddress,
    { signal, timeoutMs, onToolsChanged }: RequestOptions & { onToolsChanged: () => void },
  ): Promise<Connection> {
    signal.throwIfAborted();
    const { Client: Sdk } = await import('@modelcontextprotocol/client');
    const server = 'url' in address ? await HttpTransport.create(address) : new StdioTransport(address);
    // It offers nothing: no files, no model, no questions to the user.
    const client = new Sdk({ name: 'tacho', version: '1' }, { capabilities: {} });
    client.setNotificationHandler('notifications/tools/list_changed', onToolsChanged);
    try {
      await client.connect(server.transport, { signal, timeout: timeoutMs });
    } catch (error) {
      const { ending } = server;
      await server.close();
      if (ending) throw new Error(ending.message, { cause: error });
      throw Object.assign(error as Error, { lastWords: server.lastWords });
    }
    return new Connection(client, server);
  }

  private constructor(client: Client, server: ServerTransport) {
    this.#client = client;
    this.#server = server;
  }

  /** Why it is over; null as long as it is not. */
  get ending(): Ending | null {
    return this.#server.ending;
  }

  get hasTools(): boolean {
    return this.#client.getServerCapabilities()?.tools !== undefined;
  }

  /** An abort, or a timeout, tells the server that the answer is not wanted any more. */
  async request(
    method: 'tools/list' | 'tools/call',
    params: Record<string, unknown>,
    { signal, timeoutMs }: RequestOptions,
  ): Promise<Record<string, unknown>> {
    this.#server.guard.reset();
    const answer: unknown = await this.#client.request({ method, params }, ANY_RESULT, { signal, timeout: timeoutMs });
    if (typeof answer !== 'object' || answer === null) throw invalidAnswer(`its answer to ${method} is not an object`);
    return answer as Record<string, unknown>;
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.#client.close();
  }
}
