import { setTimeout as sleep } from 'node:timers/promises';
import { type RuntimeMethod, type RuntimeParams, type RuntimeResult, TachoError } from '../../protocol/index.ts';
import type { TakeOutput } from '../../terminal/index.ts';
import type { Wire } from '../client/link.ts';
import { RuntimeClient } from '../client/runtime-client.ts';

/** How long a lost connection is tried again. */
const PATIENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 2000;
const FIRST_PAUSE_MS = 50;
const SOON_MS = 3000;
const KNOWN_AWAY_MS = 100;

/** One runtime elsewhere: connected to when it is first used, and again when that connection is lost. */
export class Target {
  readonly #name: string;
  readonly #connect: () => Promise<Wire>;
  #client: Promise<RuntimeClient> | null = null;
  #wire: Wire | null = null;
  #failures = 0;
  #failedAt = 0;
  #trouble: string | null = null;
  #reached = false;
  #closed = false;

  constructor(name: string, connect: () => Promise<Wire>) {
    this.#name = name;
    this.#connect = connect;
  }

  /** There was a connection, so that there may be sessions. */
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
      throw this.#asSeenHere(error);
    }
  }

  /** What it answers, unless it takes too long: for who asks several, of which some may be away. */
  async callSoon<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    // It is tried again all the same, for the next who asks.
    const ms = this.#trouble === null ? SOON_MS : KNOWN_AWAY_MS;
    let timer!: NodeJS.Timeout;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const why = this.#trouble ?? `no answer within ${ms} ms`;
        reject(this.#asSeenHere(new TachoError('SERVER_UNREACHABLE', why)));
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

  /** Who asked us has reached us: a code of its own keeps anybody from connecting to us again for it. */
  #asSeenHere(error: unknown): unknown {
    if (!(error instanceof TachoError) || error.code !== 'SERVER_UNREACHABLE') return error;
    const { message, facts, fix } = error;
    return new TachoError('TARGET_UNREACHABLE', `${this.#name}: ${message}`, {
      facts: { ...facts, target: this.#name, why: message },
      ...(fix !== undefined && { fix }),
      cause: error,
    });
  }

  /** What was never reached is told at once: only a connection that was lost is tried again. */
  async #open(): Promise<RuntimeClient> {
    try {
      let first: Wire | null = await this.#reach();
      return new RuntimeClient({
        connect: async () => {
          const wire = first ?? (await this.#reach());
          first = null;
          return { wire, secret: null };
        },
        patienceMs: PATIENCE_MS,
      });
    } catch (error) {
      this.#client = null;
      throw error;
    }
  }

  /** Somebody who tries again and again is held back, the longer the less it helps. */
  async #reach(): Promise<Wire> {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    const left = this.#failures === 0 ? 0 : this.#failedAt + pause - performance.now();
    if (left > 0) await sleep(left);
    try {
      this.#wire = await this.#connect();
    } catch (error) {
      this.#failures++;
      this.#failedAt = performance.now();
      this.#trouble = error instanceof Error ? error.message : String(error);
      throw error;
    }
    this.#reached = true;
    this.#failures = 0;
    this.#trouble = null;
    // It was closed while we were on the way.
    if (this.#closed) this.#wire.close();
    return this.#wire;
  }
}
