import type { AgentEvent } from '../../protocol/index.ts';

export interface SubscribeOptions {
  /** Only events after this one; all of the run by default. */
  afterSeq?: number | undefined;
  signal?: AbortSignal | undefined;
  /** How many events to hold for this subscriber; beyond that it continues from the file. */
  bufferEvents?: number | undefined;
}

interface Source {
  /** Of the last published event. */
  lastSeq(): number;
  /** Published events, from the file. */
  read(afterSeq: number): AsyncIterable<readonly AgentEvent[]>;
}

const BUFFER_EVENTS = 1024;

/** One subscriber. It gets every event once and in order, however slow it is, and holds a bounded number of them. */
export class Subscription {
  readonly #source: Source;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  #afterSeq: number;
  /** Events right after `#afterSeq`; not used while behind. */
  #buffer: AgentEvent[] = [];
  /** Events are missing in the buffer and have to be read from the file. */
  #isBehind: boolean;
  #isEnded = false;
  #wake: (() => void) | null = null;

  constructor(source: Source, { afterSeq = 0, signal, bufferEvents = BUFFER_EVENTS }: SubscribeOptions) {
    this.#source = source;
    this.#limit = bufferEvents;
    this.#signal = signal;
    this.#afterSeq = afterSeq;
    this.#isBehind = afterSeq < source.lastSeq();
  }

  publish(events: readonly AgentEvent[]): void {
    if (!this.#isBehind) {
      if (this.#buffer.length + events.length > this.#limit) {
        this.#buffer = [];
        this.#isBehind = true;
      } else {
        for (const event of events) this.#buffer.push(event);
      }
    }
    this.#wake?.();
  }

  /** No more events will be published; those before are still delivered. */
  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *events(): AsyncGenerator<AgentEvent, void, undefined> {
    while (!this.#signal?.aborted) {
      if (this.#isBehind) yield* this.#fromFile();
      else if (this.#buffer.length > 0) yield* this.#fromBuffer();
      else if (this.#isEnded) return;
      else await this.#untilWoken();
    }
  }

  *#fromBuffer(): Generator<AgentEvent, void, undefined> {
    const events = this.#buffer;
    this.#buffer = [];
    // Events taken out here count as held until they are delivered, so a slow reader holds at most twice the limit.
    for (const event of events) {
      if (this.#signal?.aborted) return;
      if (event.seq <= this.#afterSeq) continue;
      this.#afterSeq = event.seq;
      yield event;
    }
  }

  async *#fromFile(): AsyncGenerator<AgentEvent, void, undefined> {
    reading: for await (const events of this.#source.read(this.#afterSeq)) {
      for (const event of events) {
        // It is in the file, but not published yet.
        if (this.#signal?.aborted || event.seq > this.#source.lastSeq()) break reading;
        this.#afterSeq = event.seq;
        yield event;
      }
    }
    // No event is published between this comparison and the change.
    if (this.#afterSeq >= this.#source.lastSeq()) this.#isBehind = false;
  }

  async #untilWoken(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = () => resolve();
      this.#signal?.addEventListener('abort', this.#wake);
    });
    if (this.#wake !== null) this.#signal?.removeEventListener('abort', this.#wake);
    this.#wake = null;
  }
}
