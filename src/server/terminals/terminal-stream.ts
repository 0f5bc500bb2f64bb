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
  /** How far the client has read; undefined when it begins. */
  cursor: string | undefined;
}

/** A read that has ended: what it brought, and from where it was asked for. */
type Arrived = { stream: StreamName; after: number } & ({ read: RuntimeResult<'session.read'> } | { error: unknown });

/**
 * One client that follows a terminal. Each stream has one read under way, which waits for output; the next is begun when
 * the client has taken what the last one brought. So a slow client costs what two reads bring, and catches up by the
 * session's own buffer; where that has moved on, it is told so.
 */
export class TerminalStream {
  readonly #session: TerminalSession;
  readonly #response: SseResponse;
  readonly #asked: string | undefined;
  readonly #clientId = randomUUID();
  readonly #reading = new Set<StreamName>();
  readonly #arrived: Arrived[] = [];
  /** Streams that go on. */
  #open: StreamName[] = [];
  #cursors: Cursors = {};
  /** As the client knows it. */
  #told!: TerminalView;
  /** As it is now. */
  #current!: TerminalView;
  #wake: (() => void) | null = null;

  constructor({ session, response, cursor }: TerminalStreamOptions) {
    this.#session = session;
    this.#response = response;
    this.#asked = cursor;
  }

  /** Returns when the stream has ended, for whatever reason. */
  async run(view: TerminalView): Promise<void> {
    const isPty = view.kind === 'pty';
    this.#response.attach({ onEnd: () => this.#wake?.() });
    const stopWatching = this.#session.watch(view, (current) => {
      this.#current = current;
      this.#wake?.();
    });
    try {
      await (isPty ? this.#beginScreen(this.#asked) : this.#beginStreams());
      while (!this.#response.ended) await this.#goOn().catch((error) => this.#forgotten(error));
    } catch (error) {
      const { code, message } = describeError(error).answer.error;
      this.close('error', { code, message });
    } finally {
      stopWatching();
      // Whoever is gone need not be told, and one that has ended counts nobody.
      if (isPty) await this.#session.detach(this.#clientId).catch(() => {});
    }
  }

  close(reason: StreamClosed['reason'], error?: StreamClosed['error']): void {
    this.#response.end({ reason, last_seq: this.#cursors.stdout ?? 0, error });
  }

  async #goOn(): Promise<void> {
    await this.#response.drained();
    if (this.#response.ended) return;
    const arrived = this.#arrived.shift();
    if (arrived) await this.#take(arrived);
    else if (hasChanged(this.#told, this.#current) && !this.#endsTooEarly()) this.#tell(this.#current);
    else if (this.#open.length === 0) await this.#finish();
    else {
      this.#readOn();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** A closed session printed nothing more, so whoever hears of it must have heard all of its output. */
  #endsTooEarly(): boolean {
    return this.#current.closed && this.#open.length > 0;
  }

  /** The screen as it is, or on from where the client was; `known` is what it says it has. */
  async #beginScreen(known: string | undefined): Promise<void> {
    const { snapshot, next, next_stderr, cols, rows } = await this.#session.attach(this.#clientId);
    const view = await this.#session.look();
    const cursors = known === undefined ? null : heldCursors(known, view);
    if (cursors) return this.#begin({ resume: 'ok', snapshot: null, cursors, terminal: view });
    const resume = known === undefined ? 'ok' : 'reset';
    const drawn = next_stderr === null ? { stdout: next } : { stdout: next, stderr: next_stderr };
    this.#begin({ resume, snapshot, cursors: drawn, terminal: { ...view, cols, rows } });
  }

  /** From the oldest byte that is kept, or on from where the client was: what is missing in between is told as a gap. */
  async #beginStreams(): Promise<void> {
    const view = await this.#session.look();
    const known = this.#asked === undefined ? null : readCursors(this.#asked, view);
    const resume = known === null && this.#asked !== undefined ? 'reset' : 'ok';
    const oldest: Cursors = {};
    for (const stream of streamsOf(view)) oldest[stream] = view.streams[stream]!.start;
    this.#begin({ resume, snapshot: null, cursors: known ?? oldest, terminal: view });
  }

  #begin(opened: Extract<TerminalFrame, { frame: 'terminal.opened' }>['data']): void {
    this.#cursors = { ...opened.cursors };
    this.#open = streamsOf(opened.terminal);
    this.#told = opened.terminal;
    this.#current = opened.terminal;
    this.#send({ frame: 'terminal.opened', data: opened });
  }

  #readOn(): void {
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
    // Asked for before the screen was drawn anew.
    if (after !== this.#cursors[stream]) return;
    if ('error' in arrived) throw arrived.error;
    const { from, next, truncated_before, closed, cols, rows, data, encoding } = arrived.read;
    if (cols !== this.#told.cols || rows !== this.#told.rows) this.#tell({ ...this.#current, cols, rows });
    if (truncated_before !== null) {
      // What was lost may have been half of a sequence that draws: only a new screen is right again.
      if (this.#told.kind === 'pty') return await this.#beginScreen(writeCursors(this.#cursors));
      this.#skip(stream, from);
    }
    if (next > from) {
      this.#cursors[stream] = next;
      this.#send({ frame: 'terminal.output', data: { stream, from, data, encoding } });
    }
    if (closed) this.#open = this.#open.filter((name) => name !== stream);
  }

  /** Somebody ended the session, and the daemon does not know it any more: what was not read by then is lost. */
  #forgotten(error: unknown): void {
    if (!(error instanceof TachoError) || error.code !== 'SESSION_NOT_FOUND') throw error;
    for (const stream of this.#open) {
      const { end } = this.#current.streams[stream] ?? { end: 0 };
      if (end > (this.#cursors[stream] ?? 0)) this.#skip(stream, end);
    }
    this.#open = [];
  }

  /** All output was sent. */
  async #finish(): Promise<void> {
    for await (const view of lastViews(this.#session, () => this.#current)) {
      if (this.#response.ended) return;
      if (hasChanged(this.#told, view)) this.#tell(view);
    }
    this.close('terminal');
  }

  #skip(stream: StreamName, to: number): void {
    const from = this.#cursors[stream] ?? 0;
    this.#cursors[stream] = to;
    this.#send({ frame: 'terminal.gap', data: { stream, from, to } });
  }

  #tell(view: TerminalView): void {
    this.#told = view;
    this.#current = view;
    this.#send({ frame: 'terminal.changed', data: view });
  }

  #send({ frame, data }: TerminalFrame): void {
    this.#response.write(`id: ${writeCursors(this.#cursors)}\n${controlFrame(frame, data)}`);
  }
}
