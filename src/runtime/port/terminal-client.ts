import { type RuntimeMethod, type RuntimeParams, type RuntimeResult, TachoError } from '../../protocol/index.ts';
import { RuntimeClient } from '../client/runtime-client.ts';
import { connectOrStart, connectRunning, type EnsureOptions } from '../daemon/ensure-server.ts';

/** A daemon that does not come back soon has ended. */
const RECONNECT_MS = 1000;
/** Also for starting the daemon and trying its sandbox. */
const ANSWER_TIMEOUT_MS = 60_000;

export interface TerminalClientOptions extends EnsureOptions {
  /** How long a daemon may take to answer, besides the time that it is asked to wait. */
  answerTimeoutMs?: number | undefined;
}

/**
 * The connection of an agent to the daemon of its workspace. Only opening a terminal starts a daemon: another one would
 * not have the terminals that calls are about. It keeps the process of the agent running only during calls.
 */
export class TerminalClient {
  readonly #options: TerminalClientOptions;
  #client: RuntimeClient | null = null;
  #starting = 0;

  constructor(options: TerminalClientOptions) {
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
    const waitMs = 'wait_ms' in params ? Number(params.wait_ms) : 0;
    const timeoutMs = waitMs + (this.#options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS);
    return await within(timeoutMs, this.#client.call(method, params), () => this.disconnect());
  }

  /** Gives up calls that are under way; a later call connects again. */
  disconnect(): void {
    this.#client?.close();
    this.#client = null;
  }
}

/** A daemon that hangs must not hang the agent. */
async function within<T>(timeoutMs: number, work: Promise<T>, onTimeout: () => void): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(
        new TachoError('SERVER_UNREACHABLE', `the daemon did not answer within ${Math.round(timeoutMs / 1000)} s`),
      );
      onTimeout();
    }, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
