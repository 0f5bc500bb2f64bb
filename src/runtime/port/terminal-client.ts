import type { RuntimeMethod, RuntimeParams, RuntimeResult } from '../../protocol/index.ts';
import { RuntimeClient } from '../client/runtime-client.ts';
import { connectOrStart, connectRunning, type EnsureOptions } from '../daemon/ensure-server.ts';

/** A daemon that does not come back soon has ended. */
const RECONNECT_MS = 1000;

/**
 * The connection of an agent to the daemon of its workspace. Only opening a terminal starts a daemon: another one would
 * not have the terminals that calls are about. It keeps the process of the agent running only during calls.
 */
export class TerminalClient {
  readonly #options: EnsureOptions;
  #client: RuntimeClient | null = null;
  #starting = 0;

  constructor(options: EnsureOptions) {
    this.#options = options;
  }

  async create(params: RuntimeParams<'session.create'>): Promise<RuntimeResult<'session.create'>> {
    this.#starting++;
    try {
      return await this.call('session.create', params);
    } finally {
      this.#starting--;
    }
  }

  async call<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    this.#client ??= new RuntimeClient({
      connect: () => (this.#starting > 0 ? connectOrStart(this.#options) : connectRunning(this.#options.workspace)),
      reconnectMs: RECONNECT_MS,
      isBackground: true,
    });
    return await this.#client.call(method, params);
  }

  /** Gives up calls that are under way; a later call connects again. */
  disconnect(): void {
    this.#client?.close();
    this.#client = null;
  }
}
