import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RuntimeMethod, type RuntimeParams, type RuntimeResult, TachoError } from '../../protocol/index.ts';
import type { TakeOutput } from '../../terminal/index.ts';
import { Link, type Wire } from './link.ts';

export interface RuntimeClientOptions {
  /** Opens a connection: the first one, and a new one after each loss. */
  connect(): Promise<{ wire: Wire; secret: string | null }>;
  /** How long to retry a lost connection for calls that can be repeated. */
  reconnectMs?: number;
  /** The connection keeps this process running only during calls. */
  isBackground?: boolean;
}

export interface FollowOptions {
  stream?: 'stdout' | 'stderr';
  after?: number;
}

/** These change nothing, or the same the second time, so they can be repeated. */
const REPEATABLE: ReadonlySet<RuntimeMethod> = new Set<RuntimeMethod>([
  'session.list',
  'session.info',
  'session.read',
  'session.screen',
  'session.attach',
  'session.detach',
  'session.resize',
  'system.ping',
  'system.stats',
  'runtime.status',
  'file.read',
  'file.list',
  'file.stat',
  'agent.spawn',
  'agent.wait',
  'agent.close',
  'agent.resume',
  'agent.list',
  'agent.usage',
  'agent.reserve',
]);
const RECONNECT_MS = 10_000;
const RETRY_MS = 50;

type Cursors = { stdout?: number; stderr?: number };

/** Records how far the output was received. */
function keepingCursors(take: TakeOutput, reached: Cursors): TakeOutput {
  return async (output) => {
    await take(output);
    reached[output.stream] = output.from + Buffer.byteLength(output.data, output.encoding);
  };
}

/** A client of a runtime in another process. */
export class RuntimeClient {
  readonly #options: RuntimeClientOptions;
  #link: Promise<Link> | null = null;
  #closed = false;

  constructor(options: RuntimeClientOptions) {
    this.#options = options;
  }

  /**
   * Calls one method. A lost connection is reopened. Pending reads, and writes with a `write_id`, are then repeated; a
   * command is awaited again, and its output continues where it was cut; all other pending calls fail with
   * SERVER_UNREACHABLE.
   */
  async call<M extends RuntimeMethod>(
    method: M,
    params: RuntimeParams<M>,
    take?: TakeOutput,
  ): Promise<RuntimeResult<M>> {
    const sent = { ...params } as { exec_id?: string; write_id?: string; resume?: Cursors };
    const isCommand = method === 'exec.run' || method === 'exec.stream';
    if (isCommand) sent.exec_id ??= `x-${randomBytes(8).toString('hex')}`;
    const reached: Cursors = {};
    const stream = take ? { execId: sent.exec_id!, take: keepingCursors(take, reached) } : null;
    const repeatable = isCommand || REPEATABLE.has(method) || sent.write_id !== undefined;
    let deadline: number | null = null;
    let wasSent = false;
    let lost: unknown = null;
    for (;;) {
      try {
        const link = await this.#connected();
        if (isCommand && wasSent) sent.resume = reached;
        wasSent = true;
        return (await link.call(method, sent, stream)) as RuntimeResult<M>;
      } catch (error) {
        const code = error instanceof TachoError ? error.code : null;
        // The other side was restarted, or never received it: it is unknown whether the command ran.
        if (sent.resume && code === 'NOT_FOUND') throw lost ?? error;
        deadline ??= performance.now() + (this.#options.reconnectMs ?? RECONNECT_MS);
        const unreachable = code === 'SERVER_UNREACHABLE';
        if (!unreachable || !repeatable || this.#closed || performance.now() > deadline) throw error;
        lost ??= error;
      }
      await sleep(RETRY_MS);
    }
  }

  /** All bytes of a stream from a cursor to its end, across reconnects. Throws if bytes are missing. */
  async *follow(session_id: string, { stream = 'stdout', after = 0 }: FollowOptions = {}): AsyncGenerator<Buffer> {
    for (let cursor = after; ; ) {
      const read = await this.call('session.read', {
        session_id,
        stream,
        after: cursor,
        max_bytes: 1_048_576,
        wait_ms: 30_000,
      });
      if (read.truncated_before !== null) {
        throw new TachoError('RESOURCE_PRESSURE', `bytes ${cursor} to ${read.truncated_before} are gone`, {
          facts: { after: cursor, truncated_before: read.truncated_before },
          fix: 'Read on from there, read faster, or open the session with a larger buffer_bytes.',
        });
      }
      if (read.next > cursor) yield Buffer.from(read.data, read.encoding);
      cursor = read.next;
      if (read.closed) return;
    }
  }

  close(): void {
    this.#closed = true;
    this.#link?.then(
      (link) => link.close(),
      () => {},
    );
  }

  async #connected(): Promise<Link> {
    const known = this.#link;
    const current = await known?.catch(() => null);
    if (current && !current.lost) return current;
    // Of several concurrent calls without a connection, the first one opens it.
    if (this.#link === known) this.#link = this.#open();
    return await this.#link!;
  }

  async #open(): Promise<Link> {
    if (this.#closed) throw new TachoError('SERVER_UNREACHABLE', 'the client was closed');
    const { wire, secret } = await this.#options.connect();
    return new Link(wire, secret, this.#options);
  }
}
