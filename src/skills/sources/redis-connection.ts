import type { Redis } from 'ioredis';
import { TachoError } from '../../protocol/index.ts';
import { type ConnectionString, connectionError, requireDsn } from './connection-error.ts';

/**
 * The connection of a source, made when it is needed. After a failure, a timeout or a restart of the server it is dropped,
 * and the next call makes a new one. Nothing is retried: a scan must not wait for a server that is down.
 */
export class RedisConnection {
  readonly #source: string;
  readonly #dsn: ConnectionString;
  readonly #timeoutMs: number;
  #client: Promise<Redis> | null = null;

  constructor(source: string, { dsn, timeoutMs }: { dsn: ConnectionString; timeoutMs: number }) {
    this.#source = source;
    this.#dsn = dsn;
    this.#timeoutMs = timeoutMs;
  }

  /** Fails with SKILL_SOURCE_UNAVAILABLE, unless `work` throws an error of ours, which is about a skill. */
  async run<T>(signal: AbortSignal, work: (client: Redis) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const dsn = requireDsn(this.#source, this.#dsn);
    const client = this.#open(dsn);
    const drop = () => this.#drop(client);
    signal.addEventListener('abort', drop);
    try {
      return await work(await client);
    } catch (error) {
      if (error instanceof TachoError) throw error;
      drop();
      throw connectionError(this.#source, error, dsn);
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  async close(): Promise<void> {
    const client = await this.#client?.catch(() => null);
    this.#client = null;
    client?.disconnect();
  }

  #open(dsn: string): Promise<Redis> {
    if (this.#client) return this.#client;
    const opened: Promise<Redis> = connect(dsn, this.#timeoutMs, () => {
      if (this.#client === opened) this.#client = null;
    });
    this.#client = opened;
    return opened;
  }

  #drop(client: Promise<Redis>): void {
    if (this.#client === client) this.#client = null;
    client.then((connected) => connected.disconnect()).catch(() => {});
  }
}

async function connect(dsn: string, timeoutMs: number, onLost: () => void): Promise<Redis> {
  const { Redis: Client } = await import('ioredis');
  const client = new Client(dsn, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => null,
    connectionName: 'tacho-skills',
  });
  // Every failure also reaches the command that it concerns.
  client.on('error', () => {});
  client.on('end', onLost);
  await client.connect();
  return client;
}
