import type { AgentData, AgentDraft, AgentEventType } from '../../protocol/index.ts';
import type { Clock } from '../clock.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import type { AgentState } from '../state/state.ts';

/** Where events go: the log of a run, or the one that a replay is compared with. */
export interface EventSink {
  /** Writes at once, in the order of the calls; resolves when it is as safe as wanted. */
  append(drafts: readonly AgentDraft[], options: { durable: boolean }): Promise<unknown>;
  /** Keeps a value in the vault and returns its key. */
  keep(value: unknown): string;
  /** In place of `append`: takes each event as it is emitted, before the loop does anything else. */
  write?(draft: AgentDraft): void;
  /** Whether events that nothing waits for may be written together, at the end of the turn of the event loop. */
  readonly collects: boolean;
}

const MAX_COLLECTED = 64;

/** Removes secrets. Returns the same value if there are none in it. */
export interface Mask {
  readonly isEmpty: boolean;
  maskJson<T>(value: T): T;
}

/**
 * The way from the loop to the log. An event changes the state as it is emitted, and is written by `flush`, which comes
 * before every effect, or by `flushSoon`. A process that dies in between has only done what can be done again.
 */
export class Emitter {
  readonly state: AgentState;
  readonly #sink: EventSink;
  readonly #clock: Clock;
  readonly #mask: Mask;
  #drafts: AgentDraft[] = [];
  #scheduled: NodeJS.Immediate | null = null;
  #failure: { error: unknown } | null = null;
  #lastMs = Number.NaN;
  #lastTs = '';

  constructor(parts: { state: AgentState; sink: EventSink; clock: Clock; mask: Mask }) {
    this.state = parts.state;
    this.#sink = parts.sink;
    this.#clock = parts.clock;
    this.#mask = parts.mask;
  }

  /** `logged` stands for `exact` in the log, which has the key of the exact data then. */
  emit<T extends AgentEventType>(type: T, exact: AgentData<T>, logged: AgentData<T> = exact): void {
    const at = this.#clock.now();
    const ts = this.#format(at);
    let shown: object = this.#mask.isEmpty ? logged : this.#mask.maskJson(logged);
    if (shown !== exact) shown = { ...shown, exact: this.#sink.keep(exact) };
    applyEvent(this.state, { ts, type, data: exact } as ExactEvent, at);
    const draft = { ts, type, data: shown } as AgentDraft;
    if (this.#sink.write) this.#sink.write(draft);
    else this.#drafts.push(draft);
  }

  /** A value as others may see it: without secrets. */
  shown<T>(value: T): T {
    return this.#mask.isEmpty ? value : this.#mask.maskJson(value);
  }

  /** Durable: survives a crash of the machine, not only of the process. */
  flush({ durable = false }: { durable?: boolean } = {}): Promise<unknown> {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#scheduled = null;
    if (this.#failure) return Promise.reject(this.#failure.error);
    const drafts = this.#drafts;
    this.#drafts = [];
    return this.#append(drafts, durable);
  }

  /** Events that could not be written leave a gap: nothing may follow them. */
  async #append(drafts: readonly AgentDraft[], durable: boolean): Promise<void> {
    try {
      await this.#sink.append(drafts, { durable });
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }

  /** For events that nothing outside depends on: several of them are one write. Fails with the next flush. */
  flushSoon(): Promise<unknown> | null {
    // A model or tool that answers at once never lets the event loop turn.
    if (!this.#sink.collects || this.#failure || this.#drafts.length >= MAX_COLLECTED) return this.flush();
    this.#scheduled ??= setImmediate(() => {
      this.flush().catch((error) => {
        this.#failure = { error };
      });
    });
    return null;
  }

  #format(at: number): string {
    if (at !== this.#lastMs) {
      this.#lastMs = at;
      this.#lastTs = new Date(at).toISOString();
    }
    return this.#lastTs;
  }
}
