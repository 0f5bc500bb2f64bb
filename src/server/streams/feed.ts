import type { EventSource } from './event-source.ts';
import type { FrameBuffers } from './frame-buffers.ts';
import { type FramePiece, framePieces } from './frame-piece.ts';

/** A reader that has read everything and waits for more. */
export interface FeedMember {
  /** The last event it has. */
  readonly seq: number;
  /** Receives new events. The pieces belong to the feed and are valid during the call. */
  take(pieces: readonly FramePiece[]): void;
  fail(error: unknown): void;
}

/** The one tail of a source, for all readers that have caught up. */
export class Feed {
  readonly #source: EventSource;
  readonly #buffers: FrameBuffers;
  readonly #members = new Set<FeedMember>();
  #tail: { seq: number; stop: AbortController } | null = null;

  constructor(source: EventSource, buffers: FrameBuffers) {
    this.#source = source;
    this.#buffers = buffers;
  }

  /** False if the feed is ahead of the member, which must first read from disk. */
  join(member: FeedMember): boolean {
    this.#tail ??= this.#follow(member.seq);
    if (member.seq < this.#tail.seq) return false;
    this.#members.add(member);
    return true;
  }

  leave(member: FeedMember): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    this.#tail?.stop.abort();
    this.#tail = null;
  }

  #follow(afterSeq: number): { seq: number; stop: AbortController } {
    const tail = { seq: afterSeq, stop: new AbortController() };
    const { signal } = tail.stop;
    (async () => {
      for await (const lines of this.#source.tail(afterSeq, { signal, reuse: { bytes: null } })) {
        if (signal.aborted) return;
        tail.seq = lines.at(-1)!.seq;
        const pieces = framePieces(lines, this.#source, this.#buffers);
        for (const member of [...this.#members]) member.take(pieces);
        for (const piece of pieces) piece.release();
      }
    })().catch((error) => {
      if (signal.aborted) return;
      this.#tail = null;
      for (const member of [...this.#members]) member.fail(error);
    });
    return tail;
  }
}
