import * as z from 'zod';
import {
  type RuntimeMethod,
  type RuntimeParams,
  type RuntimeResult,
  type SessionInfo,
  sessionInfoSchema,
  TachoError,
  type TerminalView,
} from '../../protocol/index.ts';
import { type AnnouncedDaemon, findServer, type RuntimeClient } from '../../runtime/index.ts';
import { SessionWatch } from './session-watch.ts';
import { within } from './within.ts';

/** A daemon accepts 64 concurrent calls per connection, and a read that waits for output counts as one. */
const MAX_CALLS = 48;
/** A healthy daemon takes a few milliseconds. */
const TIMEOUT_MS = 10_000;
/** A lost connection is restored at once, unless the daemon is gone. */
const RECONNECT_MS = 1000;

interface Connection {
  client: Promise<RuntimeClient>;
  calls: number;
}

/** A daemon may have another version: unknown fields are removed, and missing ones stay missing. */
const sessionSchema = z.object(sessionInfoSchema.shape);

/** The daemon of one workspace. Connects on demand; all callers share its connections. */
export class WorkspaceDaemon {
  readonly id: string;
  readonly workspace: string;
  readonly #connections: Connection[] = [];
  /** For attaching: a client stays attached only as long as its connection. */
  #lasting: Connection | null = null;
  readonly #watches = new Map<string, SessionWatch>();
  readonly #listing = new Map<string, Promise<TerminalView[]>>();
  /** Sessions that this server is ending. */
  readonly #ending = new Map<string, Promise<TerminalView>>();

  constructor({ id, workspace }: AnnouncedDaemon) {
    this.id = id;
    this.workspace = workspace;
  }

  /** A call is pending, or a session is being followed. */
  get inUse(): boolean {
    return this.#watches.size > 0 || this.#connections.some(({ calls }) => calls > 0);
  }

  /** Without a timeout: a command returns only when it has ended. */
  async call<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    const connection = this.#connectionFor(method);
    connection.calls++;
    try {
      return await (await connection.client).call(method, params);
    } finally {
      connection.calls--;
      const stays = connection === this.#lasting || connection === this.#connections[0];
      if (connection.calls === 0 && !stays) this.#drop(connection);
    }
  }

  /** The same for immediate calls, with a timeout that detects a hanging daemon. */
  async ask<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    return await within(TIMEOUT_MS, this.call(method, params), () => this.#late(TIMEOUT_MS));
  }

  /** All sessions, including those of targets that answer in time. */
  async list(timeoutMs: number): Promise<TerminalView[]> {
    const late = () => this.#late(timeoutMs);
    // An unreachable target must not delay the host's own sessions.
    return await within(timeoutMs / 2, this.#listOnce({}), late).catch(() =>
      within(timeoutMs / 2, this.#listOnce({ target: 'host' }), late),
    );
  }

  async readView(session_id: string): Promise<TerminalView> {
    return this.view(await this.ask('session.info', { session_id }));
  }

  /** All who follow a session share one watch. */
  watch(view: TerminalView, listener: (view: TerminalView) => void): () => void {
    const { session_id } = view;
    const watch = this.#watches.get(session_id) ?? new SessionWatch(() => this.readView(session_id));
    this.#watches.set(session_id, watch);
    watch.join(view, listener);
    return () => {
      watch.leave(listener);
      if (watch.isEmpty) this.#watches.delete(session_id);
    };
  }

  /** Ends a session and sends its final state to followers, because the daemon reports it only once. */
  async end(session_id: string): Promise<TerminalView> {
    const ending = this.call('session.destroy', { session_id }).then((session) => {
      const view = this.view(session);
      this.publish(session_id, view);
      return view;
    });
    this.#ending.set(session_id, ending);
    return await ending.finally(() => this.#ending.delete(session_id));
  }

  /** Resolves when this server has no pending request to end it. */
  async whenEnded(session_id: string): Promise<void> {
    await this.#ending.get(session_id)?.catch(() => {});
  }

  /** Sends a change that is known here to the followers of a session at once. */
  publish(session_id: string, change: Partial<TerminalView>): void {
    this.#watches.get(session_id)?.publish(change);
  }

  view(session: SessionInfo): TerminalView {
    const { id, workspace } = this;
    const known = sessionSchema.safeParse(session);
    if (known.success) return { ...known.data, terminal_id: `${id}.${known.data.session_id}`, workspace };
    throw new TachoError('SERVER_UNREACHABLE', `the daemon of ${workspace} is of another version`, {
      facts: { workspace },
      cause: known.error,
      fix: `End it with: tacho runtime stop --workspace ${workspace}`,
    });
  }

  close(): void {
    for (const connection of [...this.#connections, this.#lasting]) if (connection) this.#drop(connection);
  }

  /** Concurrent requests share one call, so a hanging daemon costs only one. */
  #listOnce(params: RuntimeParams<'session.list'>): Promise<TerminalView[]> {
    const key = params.target ?? '';
    const underWay = this.#listing.get(key);
    if (underWay) return underWay;
    const listing = this.call('session.list', params)
      .then(({ sessions }) => sessions.map((session) => this.view(session)))
      .finally(() => this.#listing.delete(key));
    this.#listing.set(key, listing);
    return listing;
  }

  #connectionFor(method: RuntimeMethod): Connection {
    if (method !== 'session.attach' && method !== 'session.detach') {
      return this.#connections.find(({ calls }) => calls < MAX_CALLS) ?? this.#addConnection();
    }
    this.#lasting ??= this.#connect();
    return this.#lasting;
  }

  #addConnection(): Connection {
    const connection = this.#connect();
    this.#connections.push(connection);
    return connection;
  }

  #connect(): Connection {
    const connection = { client: this.#open(), calls: 0 };
    // A later call may be able to connect.
    connection.client.catch(() => this.#drop(connection));
    return connection;
  }

  async #open(): Promise<RuntimeClient> {
    const client = await findServer(this.workspace, { reconnectMs: RECONNECT_MS });
    if (client) return client;
    const facts = { workspace: this.workspace };
    throw new TachoError('SERVER_UNREACHABLE', `no daemon serves ${this.workspace}`, { facts });
  }

  #drop(connection: Connection): void {
    const at = this.#connections.indexOf(connection);
    if (at >= 0) this.#connections.splice(at, 1);
    if (connection === this.#lasting) this.#lasting = null;
    connection.client.then(
      (client) => client.close(),
      () => {}, // Nothing to close.
    );
  }

  #late(timeoutMs: number): TachoError {
    const { workspace } = this;
    const message = `the daemon of ${workspace} has not answered for ${timeoutMs} ms`;
    return new TachoError('SERVER_UNREACHABLE', message, { facts: { workspace } });
  }
}
