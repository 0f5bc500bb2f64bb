import type { StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.ts';
import { FloodGuard } from './flood-guard.ts';
import type { Ending, ServerTransport } from './server-transport.ts';

const TERMINATE_MS = 2000;
/** Between two attempts to open the stream of notifications again, whatever the server asks for. */
const MIN_RECONNECT_MS = 1000;
const MAX_RECONNECTS = 20;

export interface HttpServer {
  url: URL;
  token: string | undefined;
}

/** A server that is reached by its address: the transport of the SDK, with limits. */
export class HttpTransport implements ServerTransport {
  readonly #inner: StreamableHTTPClientTransport;
  ending: Ending | null = null;
  readonly guard = new FloodGuard();
  readonly lastWords = '';
  #closing: Promise<void> | null = null;

  static async create(server: HttpServer): Promise<HttpTransport> {
    const { StreamableHTTPClientTransport: Sdk } = await import('@modelcontextprotocol/client');
    return new HttpTransport(server, Sdk);
  }

  private constructor({ url, token }: HttpServer, Sdk: typeof StreamableHTTPClientTransport) {
    let reconnects = 0;
    this.#inner = new Sdk(url, {
      // Redirects to other hosts are not followed, so the token goes to this one only.
      redirectPolicy: 'same-origin',
      requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
      fetch: boundedFetch({ guard: this.guard, end: (ending) => this.#endBecause(ending) }),
      reconnectionScheduler: (reconnect, delay) => {
        if (++reconnects > MAX_RECONNECTS) return undefined;
        const timer = setTimeout(reconnect, Math.max(delay, MIN_RECONNECT_MS));
        return () => clearTimeout(timer);
      },
    });
  }

  get transport(): Transport {
    return this.#inner as Transport;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #endBecause(ending: Ending): void {
    if (this.#closing) return;
    this.ending = ending;
    this.close().catch(() => {});
  }

  async #end(): Promise<void> {
    const isUnasked = this.ending === null;
    this.ending ??= { kind: 'unavailable', message: 'it was closed' };
    // A server that misbehaves is not asked for anything any more.
    if (isUnasked) await this.#terminate();
    await this.#inner.close();
  }

  /** Tells the server that the session is over; one that does not answer forgets it by itself. */
  async #terminate(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, TERMINATE_MS);
    });
    await Promise.race([this.#inner.terminateSession().catch(() => {}), timeout]);
    clearTimeout(timer);
  }
}
