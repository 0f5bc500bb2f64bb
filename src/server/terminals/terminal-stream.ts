import { randomUUID } from 'node:crypto';
import {
  type RuntimeResult,
  type StreamClosed,
  type StreamName,
  TachoError,
  type TerminalFrame,
  type TerminalView,
} from '../../protocol/index.ts';
import { describeError } from '../error-answer.ts';
import { controlFrame } from '../streams/frames.ts';
import type { SseResponse } from '../streams/sse-response.ts';
import { type Cursors, heldCursors, readCursors, streamsOf, writeCursors } from './cursors.ts';
import { hasChanged } from './has-changed.ts';
import { lastViews } from './last-views.ts';
import type { TerminalSession } from './terminal-session.ts';

export interface TerminalStreamOptions {
  session: TerminalSession;
  response: SseResponse;
  /** How far the client has read; undefined for a new client. */
  cursor: string | undefined;
}

/** A completed read: its result, and the offset it was requested from. */
type Arrived = { stream: StreamName; after: number } & ({ read: RuntimeResult<'session.read'> } | { error: unknown });

/**
 * One client that follows a terminal. Each stream has one pending read, which waits for output; the next one starts
 * when the client has taken the result. A slow client therefore costs two reads at most, and catches up from the
 * session's buffer; output that is no longer there is reported as a gap.
 */
export class TerminalStream {
  readonly #session: TerminalSession;
  readonly #response: SseResponse;
  readonly #requested: string | undefined;
  readonly #clientId = randomUUID();
  readonly #reading = new Set<StreamName>();
  readonly #arrived: Arrived[] = [];
  /** Streams that have not ended. */
  #open: StreamName[] = [];
  #cursors: Cursors = {};
  /** The view that the client has. */
  #sent!: TerminalView;
  /** The current view. */
  #current!: TerminalView;
  #wake: (() => void) | null = null;

  constructor({ session, response, cursor }: TerminalStreamOptions) {
    this.#session = session;
    this.#response = response;
    this.#requested = cursor;
  }

  /** Returns when the stream has ended for any reason. */
  async run(view: TerminalView): Promise<void> {
    const isPty = view.kind === 'pty';
    this.#response.attach({ onEnd: () => this.#wake?.() });
    const stopWatching = this.#session.watch(view, (current) => {
      this.#current = current;
      this.#wake?.();
    });
    try {
      await (isPty ? this.#beginScreen(this.#requested) : this.#beginStreams());
      while (!this.#response.ended) await this.#step().catch((error) => this.#forgotten(error));
    } catch (error) {
      const { code, message } = describeError(error).answer.error;
      this.close('error', { code, message });
    } finally {
      stopWatching();
      // Errors do not matter: a session that is gone or has ended counts no clients.
      if (isPty) await this.#session.detach(this.#clientId).catch(() => {});
    }
  }

  close(reason: StreamClosed['reason'], error?: StreamClosed['error']): void {
    this.#response.end({ reason, last_seq: this.#cursors.stdout ?? 0, error });
  }

  async #step(): Promise<void> {
    await this.#response.drained();
    if (this.#response.ended) return;
    const arrived = this.#arrived.shift();
    if (arrived) await this.#take(arrived);
    else if (hasChanged(this.#sent, this.#current) && !this.#endsTooEarly()) this.#sendView(this.#current);
    else if (this.#open.length === 0) await this.#finish();
    else {
      this.#startReads();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * A closed session has no more output, so the client must get all output before it learns that the session has
   * closed.
   */
  #endsTooEarly(): boolean {
    return this.#current.closed && this.#open.length > 0;
  }

  /** Sends the current screen, or continues where the client was; `known` is the cursor that it sent. */
  async #beginScreen(known: string | undefined): Promise<void> {
    const { snapshot, next, next_stderr, cols, rows } = await this.#session.attach(this.#clientId);
    const view = await this.#session.readView();
    const cursors = known === undefined ? null : heldCursors(known, view);
    if (cursors) return this.#begin({ resume: 'ok', snapshot: null, cursors, terminal: view });
    const resume = known === undefined ? 'ok' : 'reset';
    const drawn = next_stderr === null ? { stdout: next } : { stdout: next, stderr: next_stderr };
    this.#begin({ resume, snapshot, cursors: drawn, terminal: { ...view, cols, rows } });
  }

  /** Starts at the oldest buffered byte, or continues where the client was: missing bytes are reported as a gap. */
  async #beginStreams(): Promise<void> {
    const view = await this.#session.readView();
    const known = this.#requested === undefined ? null : readCursors(this.#requested, view);
    const resume = known === null && this.#requested !== undefined ? 'reset' : 'ok';
    const oldest: Cursors = {};
    for (const stream of streamsOf(view)) oldest[stream] = view.streams[stream]!.start;
    this.#begin({ resume, snapshot: null, cursors: known ?? oldest, terminal: view });
  }

  #begin(opened: Extract<TerminalFrame, { frame: 'terminal.opened' }>['data']): void {
    this.#cursors = { ...opened.cursors };
    this.#open = streamsOf(opened.terminal);
    this.#sent = opened.terminal;
    this.#current = opened.terminal;
    this.#send({ frame: 'terminal.opened', data: opened });
  }

  #startReads(): void {
    for (const stream of this.#open) {
      if (this.#reading.has(stream)) continue;
      this.#reading.add(stream);
      const after = this.#cursors[stream] ?? 0;
      const arrive = (outcome: { read: RuntimeResult<'session.read'> } | { error: unknown }) => {
        this.#reading.delete(stream);
        this.#arrived.push({ stream, after, ...outcome });
        this.#wake?.();
      };
      this.#session.read(stream, after).then(
        (read) => arrive({ read }),
        (error: unknown) => arrive({ error }),
      );
    }
  }

  async #take(arrived: Arrived): Promise<void> {
    const { stream, after } = arrived;
    // Requested before the screen was redrawn.
    if (after !== this.#cursors[stream]) return;
    if ('error' in arrived) throw arrived.error;
    const { from, next, truncated_before, closed, cols, rows, data, encoding } = arrived.read;
    if (cols !== this.#sent.cols || rows !== this.#sent.rows) this.#sendView({ ...this.#current, cols, rows });
    if (truncated_before !== null) {
      // The gap may have cut an escape sequence: only a new screen is correct.
      if (this.#sent.kind === 'pty') return await this.#beginScreen(writeCursors(this.#cursors));
      this.#skip(stream, from);
    }
    if (next > from) {
      this.#cursors[stream] = next;
      this.#send({ frame: 'terminal.output', data: { stream, from, data, encoding } });
    }
    if (closed) this.#open = this.#open.filter((name) => name !== stream);
  }

  /** The session was ended and the daemon has forgotten it: output that was not read before is lost. */
  #forgotten(error: unknown): void {
    if (!(error instanceof TachoError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    for (const stream of this.#open) {
      const { end } = this.#current.streams[stream] ?? { end: 0 };
      if (end > (this.#cursors[stream] ?? 0)) this.#skip(stream, end);
    }
    this.#open = [];
  }

  /** All output has been sent. */
  async #finish(): Promise<void> {
    for await (const view of lastViews(this.#session, () => this.#current)) {
      if (this.#response.ended) return;
      if (hasChanged(this.#sent, view)) this.#sendView(view);
    }
    this.close('terminal');
  }

  #skip(stream: StreamName, to: number): void {
    const from = this.#cursors[stream] ?? 0;
    this.#cursors[stream] = to;
    this.#send({ frame: 'terminal.gap', data: { stream, from, to } });
  }

  #sendView(view: TerminalView): void {
    this.#sent = view;
    this.#current = view;
    this.#send({ frame: 'terminal.changed', data: view });
  }

  #send({ frame, data }: TerminalFrame): void {
    this.#response.write(`id: ${writeCursors(this.#cursors)}\n${controlFrame(frame, data)}`);
  }
}
