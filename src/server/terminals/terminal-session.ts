import { randomUUID } from 'node:crypto';
import type { RuntimeResult, StreamName, TerminalCommand, TerminalView } from '../../protocol/index.ts';
import type { WorkspaceDaemon } from './workspace-daemon.ts';

const PIECE_BYTES = 64 * 1024;
/** What is under way when a reader leaves stays so for that long at most. */
const READ_WAIT_MS = 5000;

/** One session of a daemon, and what can be done with it over HTTP. */
export class TerminalSession {
  readonly #daemon: WorkspaceDaemon;
  readonly #session: { session_id: string };

  constructor(daemon: WorkspaceDaemon, sessionId: string) {
    this.#daemon = daemon;
    this.#session = { session_id: sessionId };
  }

  look(): Promise<TerminalView> {
    return this.#daemon.look(this.#session.session_id);
  }

  watch(view: TerminalView, listener: (view: TerminalView) => void): () => void {
    return this.#daemon.watch(view, listener);
  }

  async input(bytes: Buffer): Promise<void> {
    // With an id it is typed once, also when the connection to the daemon is lost on the way.
    const write = { data: bytes.toString('base64'), encoding: 'base64', write_id: randomUUID() } as const;
    await this.#daemon.ask('session.write', { ...this.#session, ...write });
  }

  async resize(size: { cols: number; rows: number }): Promise<void> {
    await this.#daemon.ask('session.resize', { ...this.#session, ...size });
    this.#daemon.tell(this.#session.session_id, size);
  }

  signal(signal: string): Promise<RuntimeResult<'session.signal'>> {
    return this.#daemon.ask('session.signal', { ...this.#session, signal });
  }

  async run(command: TerminalCommand): Promise<RuntimeResult<'exec.run'>> {
    // A daemon that hangs is found out before something is waited for that may take minutes.
    await this.look();
    return await this.#daemon.call('exec.run', { ...this.#session, ...command });
  }

  async kill(): Promise<TerminalView> {
    await this.look();
    return await this.#daemon.end(this.#session.session_id);
  }

  /** Resolves when nobody here is about to end it any more. */
  whenEnded(): Promise<void> {
    return this.#daemon.whenEnded(this.#session.session_id);
  }

  read(stream: StreamName, after: number): Promise<RuntimeResult<'session.read'>> {
    const part = { stream, after, max_bytes: PIECE_BYTES, wait_ms: READ_WAIT_MS };
    return this.#daemon.call('session.read', { ...this.#session, ...part });
  }

  attach(client_id: string): Promise<RuntimeResult<'session.attach'>> {
    return this.#daemon.call('session.attach', { ...this.#session, client_id });
  }

  async detach(client_id: string): Promise<void> {
    await this.#daemon.ask('session.detach', { ...this.#session, client_id });
  }
}
