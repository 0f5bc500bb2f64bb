import type { RunView } from '../../src/protocol/index.ts';
import { addEvent, addMessage, emptyModel, isTerminal, lengthOf, type RunModel } from '../../src/record/index.ts';
import type { RunSource } from '../source/run-source.ts';
import { Playback } from './playback.ts';
import { Recordings } from './recordings.ts';
import { Store } from './store.ts';
import { ViewStore } from './view-store.ts';

export type Connection =
  | { phase: 'loading' }
  /** History is still loading: nothing on the screen may be shown as live. */
  | { phase: 'backfilling'; head: number }
  | { phase: 'live' }
  | { phase: 'reconnecting'; retryAt: number; message: string }
  | { phase: 'ended' }
  | { phase: 'failed'; error: Error };

/** One run on the page: its growing model, the view, and the state of the connection. */
export class RunSession {
  readonly source: RunSource;
  readonly model: RunModel = emptyModel();
  /** Incremented whenever the model has grown. */
  readonly version = new Store(0);
  readonly run = new Store<RunView | null>(null);
  readonly connection = new Store<Connection>({ phase: 'loading' });
  readonly view: ViewStore;
  /** When which output was read. */
  readonly recordings: Recordings;
  readonly playback: Playback;
  readonly #ending = new AbortController();
  #head = 0;

  constructor(source: RunSource) {
    this.source = source;
    this.view = new ViewStore();
    this.recordings = new Recordings(this);
    this.playback = new Playback(this);
  }

  async start(): Promise<void> {
    const { signal } = this.#ending;
    try {
      const known = this.source.run(signal).then((run) => this.run.set(run));
      const followed = this.source.follow(
        {
          onOpened: (head) => this.#opened(head),
          onEvents: (events) => {
            for (const event of events) addEvent(this.model, event);
            this.#grown();
          },
          onMessages: (messages) => {
            for (const message of messages) addMessage(this.model, message);
            this.#grown();
          },
          onRetry: ({ message }, delayMs) =>
            this.connection.set({ phase: 'reconnecting', retryAt: Date.now() + delayMs, message }),
        },
        signal,
      );
      await Promise.all([known, followed]);
      if (signal.aborted) return;
      this.connection.set({ phase: 'ended' });
      await this.#reload();
    } catch (error) {
      if (!signal.aborted) this.connection.set({ phase: 'failed', error: error as Error });
    }
  }

  close(): void {
    this.#ending.abort();
    this.playback.close();
    this.recordings.close();
    this.view.close();
  }

  /** The time of the playhead, in milliseconds since the start of the run. */
  get time(): number {
    const { time, following } = this.view.get();
    const length = lengthOf(this.model);
    return following || time === null ? length : Math.min(time, length);
  }

  /** True while the run is live and its whole history is loaded. */
  get isLive(): boolean {
    return this.connection.get().phase === 'live' && !isTerminal(this.model.status);
  }

  #opened(head: number): void {
    this.#head = head;
    this.connection.set(this.model.events.length < head ? { phase: 'backfilling', head } : { phase: 'live' });
  }

  #grown(): void {
    const { phase } = this.connection.get();
    if (phase === 'backfilling' && this.model.events.length >= this.#head) this.connection.set({ phase: 'live' });
    const status = this.run.get()?.status;
    this.version.set(this.version.get() + 1);
    if (status !== undefined && status !== this.model.status && phase !== 'backfilling') void this.#reload();
  }

  /** Loads facts that are not in the events: the position in the queue, the open question. */
  async #reload(): Promise<void> {
    try {
      this.run.set(await this.source.run(this.#ending.signal));
    } catch {
      // The stream reports a lost server; known facts stay on the screen.
    }
  }
}
