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

/** A daemon takes 64 calls of a connection at a time, and a read that waits for output is a call too. */
const MOST_CALLS = 48;
/** What takes a daemon that does well some milliseconds. */
const PATIENCE_MS = 10_000;
/** A connection that is lost is there again at once, or its daemon is gone, and with it all that was asked about. */
const LOST_MS = 1000;

interface Connection {
  client: Promise<RuntimeClient>;
  calls: number;
}

/** A daemon may be of another version: what it says more is left out, and what it does not say is missing. */
const sessionSchema = z.object(sessionInfoSchema.shape);

/** The daemon of one workspace. It is connected to when it is needed; all who need it share the connection. */
export class WorkspaceDaemon {
  readonly id: string;
  readonly workspace: string;
  readonly #connections: Connection[] = [];
  /** Whoever attached by a connection that is gone is attached no more: these need one that stays. */
  #lasting: Connection | null = null;
  readonly #watches = new Map<string, SessionWatch>();
  readonly #listing = new Map<string, Promise<TerminalView[]>>();
  /** Sessions that are being ended from here. */
  readonly #ending = new Map<string, Promise<TerminalView>>();

  constructor({ id, workspace }: AnnouncedDaemon) {
    this.id = id;
    this.workspace = workspace;
  }

  /** Somebody waits for an answer, or follows a session. */
  get inUse(): boolean {
    return this.#watches.size > 0 || this.#connections.some(({ calls }) => calls > 0);
  }

  /** Takes as long as it takes: a command is answered when it has ended. */
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

  /** The same for what is answered at once: a daemon that hangs is told from one that works. */
  async ask<M extends RuntimeMethod>(method: M, params: RuntimeParams<M>): Promise<RuntimeResult<M>> {
    return await within(PATIENCE_MS, this.call(method, params), () => this.#late(PATIENCE_MS));
  }

  /** Its sessions, with those of its targets where they answer in time. */
  async list(patienceMs: number): Promise<TerminalView[]> {
    const late = () => this.#late(patienceMs);
    // A target that is away may hold the one up, and never the other.
    return await within(patienceMs / 2, this.#listOnce({}), late).catch(() =>
      within(patienceMs / 2, this.#listOnce({ target: 'host' }), late),
    );
  }

  async look(session_id: string): Promise<TerminalView> {
    return this.view(await this.ask('session.info', { session_id }));
  }

  /** All who follow a session share one watch. */
  watch(view: TerminalView, listener: (view: TerminalView) => void): () => void {
    const { session_id } = view;
    const watch = this.#watches.get(session_id) ?? new SessionWatch(() => this.look(session_id));
    this.#watches.set(session_id, watch);
    watch.join(view, listener);
    return () => {
      watch.leave(listener);
      if (watch.isEmpty) this.#watches.delete(session_id);
    };
  }

  /** Ends a session; those who follow it hear how it ended, which the daemon tells only once. */
  async end(session_id: string): Promise<TerminalView> {
    const ending = this.call('session.destroy', { session_id }).then((session) => {
      const view = this.view(session);
      this.tell(session_id, view);
      return view;
    });
    this.#ending.set(session_id, ending);
    return await ending.finally(() => this.#ending.delete(session_id));
  }

  /** Resolves when nobody here is about to end it any more. */
  async whenEnded(session_id: string): Promise<void> {
    await this.#ending.get(session_id)?.catch(() => {});
  }

  /** Those who follow a session hear at once what is known of it here. */
  tell(session_id: string, change: Partial<TerminalView>): void {
    this.#watches.get(session_id)?.tell(change);
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

  /** Who asks again before it has answered gets the same answer: one that hangs costs one call, however often it is asked. */
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
      return this.#connections.find(({ calls }) => calls < MOST_CALLS) ?? this.#addConnection();
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
    // What cannot be opened now may be there for the next one who asks.
    connection.client.catch(() => this.#drop(connection));
    return connection;
  }

  async #open(): Promise<RuntimeClient> {
    const client = await findServer(this.workspace, { patienceMs: LOST_MS });
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
      () => {}, // There is nothing to close.
    );
  }

  #late(patienceMs: number): TachoError {
    const { workspace } = this;
    const message = `the daemon of ${workspace} has not answered for ${patienceMs} ms`;
    return new TachoError('SERVER_UNREACHABLE', message, { facts: { workspace } });
  }
}
