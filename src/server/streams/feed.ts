import type { EventSource } from './event-source.ts';
import { LiveBatch } from './live-batch.ts';

/** A reader that has read everything and waits for more. */
export interface FeedMember {
  /** The last event it knows. */
  readonly seq: number;
  take(batch: LiveBatch): void;
  fail(error: unknown): void;
}

/** The one tail of a source, for all of its readers that are at the head. */
export class Feed {
  readonly #source: EventSource;
  readonly #members = new Set<FeedMember>();
  #tail: { seq: number; stop: AbortController } | null = null;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /** False when more has been told than the member knows: it has to read on by itself first. */
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
      for await (const lines of this.#source.tail(afterSeq, signal)) {
        if (signal.aborted) return;
        tail.seq = lines.at(-1)!.seq;
        const batch = new LiveBatch(lines, this.#source);
        for (const member of [...this.#members]) member.take(batch);
      }
    })().catch((error) => {
      if (signal.aborted) return;
      this.#tail = null;
      for (const member of [...this.#members]) member.fail(error);
    });
    return tail;
  }
}
