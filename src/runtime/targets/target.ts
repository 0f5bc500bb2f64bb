import { setTimeout as sleep } from 'node:timers/promises';
import { type RuntimeMethod, type RuntimeParams, type RuntimeResult, TachoError } from '../../protocol/index.ts';
import type { TakeOutput } from '../../terminal/index.ts';
import type { Wire } from '../client/link.ts';
import { RuntimeClient } from '../client/runtime-client.ts';

/** How long to retry a lost connection. */
const RECONNECT_MS = 60_000;
const MAX_PAUSE_MS = 2000;
const FIRST_PAUSE_MS = 50;
const TIMEOUT_MS = 3000;
const UNREACHABLE_TIMEOUT_MS = 100;

/** One runtime on another machine: connected on first use, and again after a lost connection. */
export class Target {
  readonly #name: string;
  readonly #connect: () => Promise<Wire>;
  #client: Promise<RuntimeClient> | null = null;
  #wire: Wire | null = null;
  #failures = 0;
  #failedAt = 0;
  #lastError: string | null = null;
  #reached = false;
  #closed = false;

  constructor(name: string, connect: () => Promise<Wire>) {
    this.#name = name;
    this.#connect = connect;
  }

  /** There was a connection, so there may be sessions. */
  get reached(): boolean {
    return this.#reached;
  }

  async call<M extends RuntimeMethod>(
    method: M,
    params: RuntimeParams<M>,
    take?: TakeOutput,
  ): Promise<RuntimeResult<M>> {
    this.#client ??= this.#open();
    try {
      return await (await this.#client).call(method, params, take);
    } catch (error) {
      throw this.#asTargetError(error);
    }
  }

  /** Calls with a short timeout: for requests to several targets, some of which may be unreachable. */
  async callWithTimeout<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    // The target is still retried, for the next caller.
    const ms = this.#lastError === null ? TIMEOUT_MS : UNREACHABLE_TIMEOUT_MS;
    let timer!: NodeJS.Timeout;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const why = this.#lastError ?? `no answer within ${ms} ms`;
        reject(this.#asTargetError(new TachoError('SERVER_UNREACHABLE', why)));
      }, ms);
    });
    try {
      return await Promise.race([this.call(method, params), late]);
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#closed = true;
    this.#client?.then(
      (client) => client.close(),
      () => {},
    );
    this.#wire?.close();
  }

  /** A separate error code: the caller has reached us, and must not reconnect to us because of this error. */
  #asTargetError(error: unknown): unknown {
    if (!(error instanceof TachoError) || error.code !== 'SERVER_UNREACHABLE') return error;
    const { message, facts, fix } = error;
    return new TachoError('TARGET_UNREACHABLE', `${this.#name}: ${message}`, {
      facts: { ...facts, target: this.#name, why: message },
      ...(fix !== undefined && { fix }),
      cause: error,
    });
  }

  /** A target that was never reached fails at once: only a lost connection is retried. */
  async #open(): Promise<RuntimeClient> {
    try {
      let first: Wire | null = await this.#reach();
      return new RuntimeClient({
        connect: async () => {
          const wire = first ?? (await this.#reach());
          first = null;
          return { wire, secret: null };
        },
        reconnectMs: RECONNECT_MS,
      });
    } catch (error) {
      this.#client = null;
      throw error;
    }
  }

  /** Waits longer after each failure before the next try. */
  async #reach(): Promise<Wire> {
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    const left = this.#failures === 0 ? 0 : this.#failedAt + pause - performance.now();
    if (left > 0) await sleep(left);
    try {
      this.#wire = await this.#connect();
    } catch (error) {
      this.#failures++;
      this.#failedAt = performance.now();
      this.#lastError = error instanceof Error ? error.message : String(error);
      throw error;
    }
    this.#reached = true;
    this.#failures = 0;
    this.#lastError = null;
    // Closed while connecting.
    if (this.#closed) this.#wire.close();
    return this.#wire;
  }
}
