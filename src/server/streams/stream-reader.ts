import type { StreamClosed, StreamOpened } from '../../protocol/index.ts';
import { describeError } from '../error-answer.ts';
import type { EventSource } from './event-source.ts';
import type { Feed, FeedMember } from './feed.ts';
import type { FramePages } from './frame-pages.ts';
import type { FramePiece } from './frame-piece.ts';
import { controlFrame } from './frames.ts';
import type { SseResponse } from './sse-response.ts';

/** A reader that stalls for this long releases the file it reads from, and reopens it later. */
const STALL_MS = 250;

export type CloseReason = StreamClosed['reason'];

export interface StreamReaderOptions {
  source: EventSource;
  feed: Feed;
  pages: FramePages;
  response: SseResponse;
  /** The last event that the client has; null if it sent none, or an invalid one. */
  cursor: number | null;
  deltas: boolean;
  /** Whether the run has ended, according to its record. */
  isOver(): boolean;
  onDelivered(events: number): void;
}

/**
 * One client of a stream. It reads from disk, at its own pace, until it has caught up; then it waits for new events
 * with the others. When it falls behind, it reads from disk again: at most one piece is ever buffered for it, in its
 * socket.
 */
export class StreamReader implements FeedMember {
  readonly #options: StreamReaderOptions;
  #seq = 0;
  /** The event at `#seq` ends the run. */
  #atEnd = false;
  #leave: (() => void) | null = null;
  /** `wake` was called since the last `isOver`. */
  #woken = false;

  constructor(options: StreamReaderOptions) {
    this.#options = options;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Returns when the stream has ended for any reason. */
  async run(): Promise<void> {
    const { response, feed, source, isOver } = this.#options;
    response.attach({ onEnd: () => this.wake() });
    try {
      await this.#open();
      while (!response.ended) {
        this.#woken = false;
        // Checked before reading: then everything exists already. Events that are written before a later check might be
        // missed.
        const over = isOver();
        if (over) await source.caughtUp();
        const complete = await this.#catchUp();
        if (!complete) continue;
        // Only after the last event: a run that was reopened has ended before, too.
        if (over || this.#atEnd) return this.close('terminal');
        if (!feed.join(this)) continue;
        await new Promise<void>((resolve) => {
          this.#leave = resolve;
          if (this.#woken) resolve();
        });
        feed.leave(this);
      }
    } catch (error) {
      this.fail(error);
    } finally {
      feed.leave(this);
    }
  }

  async #open(): Promise<void> {
    const { source, cursor, response } = this.#options;
    const head = await source.head();
    const known = cursor !== null && cursor <= head.seq;
    this.#seq = known ? cursor : 0;
    this.#atEnd = head.terminal && head.seq === this.#seq;
    const opened: StreamOpened = {
      resume: known ? 'ok' : 'reset',
      from_seq: this.#seq + 1,
      head_seq: head.seq,
    };
    response.write(controlFrame('stream.opened', opened));
  }

  /** Reads from disk. True: everything was sent. False: the client has stalled. */
  async #catchUp(): Promise<boolean> {
    const { pages, response } = this.#options;
    await response.drained();
    for (let piece = await pages.after(this.#seq); piece !== null; piece = await pages.after(this.#seq)) {
      this.#write(piece);
      piece.release();
      await response.drained(STALL_MS);
      if (response.full || response.ended) return false;
    }
    return !response.ended;
  }

  take(pieces: readonly FramePiece[]): void {
    const { response } = this.#options;
    const unknown = pieces.filter(({ lastSeq }) => lastSeq > this.#seq);
    if (unknown.length === 0) return;
    if (response.full || response.ended) {
      this.wake();
      return;
    }
    for (const piece of unknown) this.#write(piece);
    if (this.#atEnd) this.close('terminal');
  }

  /** Checks again for new events and for the end of the run. */
  wake(): void {
    this.#woken = true;
    this.#leave?.();
    this.#leave = null;
  }

  fail(error: unknown): void {
    const { code, message } = describeError(error).answer.error;
    this.close('error', { code, message });
  }

  close(reason: CloseReason, error?: StreamClosed['error']): void {
    this.#options.response.end({ reason, last_seq: this.#seq, error });
    this.wake();
  }

  #write(piece: FramePiece): void {
    const { response, deltas, onDelivered } = this.#options;
    const wanted = deltas ? piece : piece.withoutDeltas();
    const { bytes, events } = wanted.after(this.#seq);
    if (events > 0) {
      wanted.hold();
      response.write(bytes, () => wanted.release());
    }
    this.#seq = piece.lastSeq;
    this.#atEnd = piece.terminal;
    onDelivered(events);
  }
}
