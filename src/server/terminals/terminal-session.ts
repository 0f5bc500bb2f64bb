import { randomUUID } from 'node:crypto';
import type { RuntimeResult, StreamName, TerminalCommand, TerminalView } from '../../protocol/index.ts';
import type { WorkspaceDaemon } from './workspace-daemon.ts';

const PIECE_BYTES = 64 * 1024;
/** A read that is pending when a reader disconnects lasts at most this long. */
const READ_WAIT_MS = 5000;

/** One session of a daemon, with its operations over HTTP. */
export class TerminalSession {
  readonly #daemon: WorkspaceDaemon;
  readonly #session: { session_id: string };

  constructor(daemon: WorkspaceDaemon, sessionId: string) {
    this.#daemon = daemon;
    this.#session = { session_id: sessionId };
  }

  readView(): Promise<TerminalView> {
    return this.#daemon.readView(this.#session.session_id);
  }

  watch(view: TerminalView, listener: (view: TerminalView) => void): () => void {
    return this.#daemon.watch(view, listener);
  }

  async input(bytes: Buffer): Promise<void> {
    // The id makes sure that input is typed once, even if the connection to the daemon is lost.
    const write = { data: bytes.toString('base64'), encoding: 'base64', write_id: randomUUID() } as const;
    await this.#daemon.ask('session.write', { ...this.#session, ...write });
  }

  async resize(size: { cols: number; rows: number }): Promise<void> {
    await this.#daemon.ask('session.resize', { ...this.#session, ...size });
    this.#daemon.publish(this.#session.session_id, size);
  }

  signal(signal: string): Promise<RuntimeResult<'session.signal'>> {
    return this.#daemon.ask('session.signal', { ...this.#session, signal });
  }

  async run(command: TerminalCommand): Promise<RuntimeResult<'exec.run'>> {
    // Detects a hanging daemon before a call that may take minutes.
    await this.readView();
    return await this.#daemon.call('exec.run', { ...this.#session, ...command });
  }

  async kill(): Promise<TerminalView> {
    await this.readView();
    return await this.#daemon.end(this.#session.session_id);
  }

  /** Resolves when this server has no pending request to end it. */
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
