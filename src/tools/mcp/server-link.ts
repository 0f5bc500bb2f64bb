import type { ToolAnswer } from '../tool.ts';
import { ToolFailure } from '../tool-failure.ts';
import { changedParts, type SpecText } from '../tool-spec.ts';
import { failureOf, isOver, openFailure } from './call-failure.ts';
import { answerOf } from './call-result.ts';
import { Connection, type ServerAddress } from './connection.ts';
import { type ListedTool, listTools, type ToolListing } from './list-tools.ts';

/** In one run. A server that needs more is not worth the wait. */
const MAX_RESTARTS = 10;

export interface ServerLinkOptions {
  /** Name of the server. */
  server: string;
  address: ServerAddress;
  /** Patterns of the names of its tools. */
  wanted: readonly string[];
  timeoutMs: number;
}

/**
 * The server of a source through all of its connections. Whatever goes wrong costs the call that it happens in, and the
 * next one gets a new connection: a server is never asked again on one that has failed.
 */
export class ServerLink {
  readonly #options: ServerLinkOptions;
  #connection: Promise<Connection> | null = null;
  /** Its tools as they were last listed, by their names there. */
  #listed = new Map<string, ListedTool>();
  /** The server said that they have changed. */
  #isStale = false;
  #restarts = 0;
  /** A failure between calls, which the next call is told. */
  #failure: ToolFailure | null = null;
  /** Connections that are being closed. */
  readonly #closing = new Set<Promise<void>>();
  /** One after the other: two calls must not start two servers. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(options: ServerLinkOptions) {
    this.#options = options;
  }

  /** Connects for the first time. Throws what is wrong, after everything that was started has ended. */
  async open(signal: AbortSignal): Promise<ToolListing> {
    let listing: ToolListing = { tools: [], leftOut: [] };
    try {
      await this.#connect(signal, (found) => {
        listing = found;
      });
    } catch (error) {
      throw openFailure(error, this.#options);
    }
    return listing;
  }

  /** The tool as the server has it now; null if it is gone. While the server cannot be asked, as it was last known. */
  async current(tool: string, signal: AbortSignal): Promise<SpecText | null> {
    this.#failure = null;
    try {
      await this.#fresh(signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#failure = error instanceof ToolFailure ? error : null;
    }
    return this.#listed.get(tool) ?? null;
  }

  /** Throws `ToolFailure`; and the reason of the signal, if that aborts. */
  async call(
    tool: string,
    input: unknown,
    { signal, spec }: { signal: AbortSignal; spec: SpecText | undefined },
  ): Promise<ToolAnswer> {
    const failure = this.#failure;
    this.#failure = null;
    if (failure) throw failure;
    const connection = await this.#fresh(signal);
    const now = this.#listed.get(tool);
    if (!now)
      throw new ToolFailure('unavailable', `the MCP server ${this.#options.server} does not have this tool any more`);
    if (spec && changedParts(spec, now).length > 0) throw changedMeanwhile(this.#options.server);
    const { timeoutMs } = this.#options;
    try {
      return answerOf(await connection.request('tools/call', { name: tool, arguments: input }, { signal, timeoutMs }));
    } catch (error) {
      throw this.#costs(connection, error, signal);
    }
  }

  /** Resolves when nothing of the server is left. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the run is over'));
    await this.#turn;
    const connection = await this.#connection?.catch(() => null);
    if (connection) this.#drop(connection);
    await Promise.all(this.#closing);
  }

  /** A connection whose list of tools is current. */
  #fresh(stop: AbortSignal): Promise<Connection> {
    const signal = AbortSignal.any([stop, this.#stop.signal]);
    const fresh = this.#turn.then(() => this.#freshNow(signal));
    this.#turn = fresh.catch(() => {});
    return fresh;
  }

  async #freshNow(signal: AbortSignal): Promise<Connection> {
    const connection = await this.#open(signal);
    if (!this.#isStale) return connection;
    try {
      await this.#list(connection, AbortSignal.any([signal, AbortSignal.timeout(this.#options.timeoutMs)]));
      return connection;
    } catch (error) {
      throw this.#costs(connection, error, signal);
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const known = await this.#connection?.catch(() => null);
    if (known && known.ending === null) return known;
    if (known) this.#drop(known);
    const { server } = this.#options;
    signal.throwIfAborted();
    if (this.#restarts >= MAX_RESTARTS) {
      const message = `the MCP server ${server} was started again ${this.#restarts} times in this run, and is not any more`;
      throw new ToolFailure('unavailable', message);
    }
    this.#restarts++;
    try {
      return await this.#connect(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error, { ...this.#options, ending: null });
    }
  }

  #connect(signal: AbortSignal, onListed: (listing: ToolListing) => void = () => {}): Promise<Connection> {
    const connecting = this.#connectNow(signal, onListed);
    this.#connection = connecting;
    connecting.catch(() => {
      if (this.#connection === connecting) this.#connection = null;
    });
    return connecting;
  }

  async #connectNow(signal: AbortSignal, onListed: (listing: ToolListing) => void): Promise<Connection> {
    // What the last one holds, such as a port, has to be free again.
    await Promise.all(this.#closing);
    const { address, timeoutMs } = this.#options;
    const onToolsChanged = () => {
      this.#isStale = true;
    };
    // Of both together: a server could list its tools page by page without end.
    const limited = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const connection = await Connection.open(address, { signal: limited, timeoutMs, onToolsChanged });
    try {
      onListed(await this.#list(connection, limited));
      return connection;
    } catch (error) {
      const { ending } = connection;
      await connection.close();
      if (ending) throw new Error(ending.message);
      throw error;
    }
  }

  async #list(connection: Connection, signal: AbortSignal): Promise<ToolListing> {
    // Before it is asked: what changes meanwhile is listed again.
    this.#isStale = false;
    const { server, wanted, timeoutMs } = this.#options;
    const listing = await listTools(connection, { server, wanted, signal, timeoutMs }).catch((error) => {
      this.#isStale = true;
      throw error;
    });
    this.#listed = new Map(listing.tools.map((tool) => [tool.tool, tool]));
    return listing;
  }

  /** The failure that an error is, for the call that it happened in. A connection that can no longer be trusted ends. */
  #costs(connection: Connection, error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const { ending } = connection;
    if (ending !== null || isOver(error)) this.#drop(connection);
    return failureOf(error, { ...this.#options, ending });
  }

  #drop(connection: Connection): void {
    this.#connection = null;
    const closing = connection.close().catch(() => {});
    this.#closing.add(closing);
    closing.then(() => this.#closing.delete(closing));
  }
}

function changedMeanwhile(server: string): ToolFailure {
  const message = `the MCP server ${server} changed this tool before the call was carried out, so it was not. Call it again: it will be judged as it is now.`;
  return new ToolFailure('conflict', message, { retryable: true });
}
