import type { Touch } from '../files/index.ts';
import type { RaspDraft, RaspEvent } from '../protocol/index.ts';

/**
 * The record of what happened in a run: numbered, chained, append-only. One writer at a time, fenced by an epoch;
 * any number of readers in any number of processes.
 */
export interface Journal<Draft = RaspDraft, Event = RaspEvent> {
  /** Becomes the one writer of the run. Throws RUN_LOCKED while another live process, or this one, already is. */
  claim(run: string): Promise<Claim>;
  /**
   * Numbers, chains and keeps the drafts: all of them or none. Throws DISK_FULL or RECORDING_FAILED when they could
   * not be written; nothing has changed then and a later append can succeed. Only when the disk fails while it is made
   * to keep what was written (fsync) do the events stand in the journal all the same.
   */
  append(
    run: string,
    epoch: number,
    expectedSeq: number,
    drafts: readonly Draft[],
    options?: AppendOptions,
  ): Promise<AppendResult<Event>>;
  /**
   * Restores the record of the events if a program has moved, removed or replaced it, and returns what
   * was done to it. Does nothing when the claim was lost.
   */
  putBack(run: string, epoch: number): Touch[];
  /** Gives the claim back. Does nothing when the claim was lost or given back before. */
  release(run: string, epoch: number): Promise<void>;
  /** Events in seq order, in batches, up to what was there when the end is reached. */
  read(run: string, range?: ReadRange): AsyncIterable<Event[]>;
  /** Everything after `afterSeq`, then what is appended from now on: no gap, nothing twice. Ends when `signal` aborts. */
  tail(run: string, afterSeq: number, options?: TailOptions): AsyncIterable<Event[]>;
  /** Like `read`, but each event as the bytes it was kept as, for passing on unchanged. */
  readLines(run: string, range?: ReadRange, options?: LineOptions): AsyncIterable<JournalLine[]>;
  /** Like `tail`, but each event as the bytes it was kept as. */
  tailLines(run: string, afterSeq: number, options?: TailOptions & LineOptions): AsyncIterable<JournalLine[]>;
}

export interface Claim {
  run: string;
  /** Grows with every claim of the run; an append with an older one is refused. */
  epoch: number;
  /** 0 while the journal is empty. */
  lastSeq: number;
  lastTs: string | null;
  /** Chain value of the last event; of an empty journal the value the first event will be chained to. */
  head: string;
  /** What was set aside because the last writer died in the middle of a line. The caller records it as an event. */
  repaired: Repair | null;
}

export interface Repair {
  bytes: number;
  sha256: string;
  /** Name of the file in the audit folder that keeps the fragment. */
  kept_as: string;
}

export interface AppendOptions {
  /** Forces the events to the disk before the append resolves, whatever the journal does otherwise. */
  durable?: boolean | undefined;
}

export type AppendResult<Event = RaspEvent> =
  | { ok: true; lastSeq: number; events: Event[] }
  /** The journal has another writer now, or none: claim again before appending. */
  | { ok: false; reason: 'fenced' }
  /** `expectedSeq` is not the last seq; `lastSeq` is. */
  | { ok: false; reason: 'conflict'; lastSeq: number };

export interface ReadRange {
  afterSeq?: number | undefined;
  /** Both ends belong to the range. Times are compared to the millisecond. */
  fromTs?: string | undefined;
  toTs?: string | undefined;
  limit?: number | undefined;
}

export interface TailOptions {
  signal?: AbortSignal | undefined;
}

export interface LineOptions {
  /** The lines are read into it, and are valid until the next step only. Without it they stay as they are for good. */
  reuse?: ReadBuffer | undefined;
}

/** Memory for one reading at a time to read into, again and again. */
export interface ReadBuffer {
  /** Made by the first reading, and larger by one that needs more. */
  bytes: Buffer | null;
}

export interface JournalLine {
  seq: number;
  /** JSON in UTF-8, without the line feed. */
  bytes: Buffer;
}

/** Hears of events after they are kept and before any tail does. What it throws is dropped: a watcher cannot fail a run. */
export type AppendHook<Event = RaspEvent> = (run: string, events: readonly Event[]) => void | Promise<void>;
