import { closeSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { putBackFile, type Touch } from '../../files/index.ts';
import { MEMBER_LENGTH } from '../../record/chain.ts';
import { writeChained } from '../chain.ts';
import type { EventJson, EventWriter } from '../event-json.ts';
import { writeFailure } from './file-errors.ts';
import type { IndexWriter, KeptEvent } from './index-writer.ts';
import { isContested, type Lock, putBackLock, releaseLock, stillHeld } from './lock.ts';
import type { LogPlace } from './log-file.ts';
import type { LogEnd } from './repair.ts';
import type { SyncPolicy } from './sync-policy.ts';

interface LogWriterParts<Draft, Event> {
  place: LogPlace;
  lock: Lock;
  fd: number;
  end: LogEnd;
  index: IndexWriter | null;
  sync: SyncPolicy;
  events: EventWriter<Draft, Event>;
}

const BUFFER_BYTES = 256 * 1024;
const MAX_KEPT_BUFFER_BYTES = 1024 * 1024;

/** The one writer of a run's log: owns its file, its lock and the count. */
export class LogWriter<Draft, Event extends KeptEvent> {
  readonly place: LogPlace;
  readonly lock: Lock;
  readonly #sync: SyncPolicy;
  readonly #fd: number;
  readonly #index: IndexWriter | null;
  readonly #events: EventWriter<Draft, Event>;
  #lastSeq: number;
  #chain: string;
  #bytes: number;
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  /** Something was in the log that we did not write, or something we wrote was not. */
  #foreign = false;
  /** A failed write left a fragment behind that could not be taken back yet. */
  #fragment = false;

  constructor({ place, lock, fd, end, index, sync, events }: LogWriterParts<Draft, Event>) {
    this.place = place;
    this.lock = lock;
    this.#sync = sync;
    this.#fd = fd;
    this.#index = index;
    this.#events = events;
    this.#lastSeq = end.lastSeq;
    this.#chain = end.chain;
    this.#bytes = end.bytes;
  }

  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** False once another process writes the run, or has written it. A lock removed by a program does not count. */
  isSole(): boolean {
    if (stillHeld(this.lock)) return true;
    return !isContested(this.lock) && fstatSync(this.#fd).size === this.#bytes;
  }

  /** Restores log and lock. No other process may write the run. */
  putBack(): Touch[] {
    const { path } = this.place;
    const touches = putBackLock(this.lock);
    const moved = putBackFile(this.#fd, path);
    if (moved) touches.push(moved);
    if (this.#fragment) this.#takeBackFragment();
    this.#orThrow(() => this.#dropForeign());
    if (this.#foreign && !moved) touches.push({ path, what: 'changed' });
    this.#foreign = false;
    return touches;
  }

  /**
   * Gives the drafts their seq and chain and writes them, all or none. `checksEnd`: looks first whether another program
   * has written to the log; without it, such bytes are found by the next write that looks.
   */
  write(drafts: readonly Draft[], { checksEnd = true }: { checksEnd?: boolean } = {}): Event[] {
    this.#orThrow(() => this.#sync.check());
    const run_id = this.place.run;
    const events: Event[] = [];
    const lineEnds: number[] = [];
    let seq = this.#lastSeq;
    let chain = this.#chain;
    let length = 0;
    for (const draft of drafts) {
      seq++;
      const json = this.#events.json(draft, seq);
      this.#makeRoom(length, json);
      const written = writeChained(chain, json, this.#buffer, length);
      chain = written.chain;
      length += written.length;
      lineEnds.push(this.#bytes + length);
      events.push(this.#events.event(draft, { run_id, seq, chain }));
    }
    this.#writeWhole(length, checksEnd);
    this.#lastSeq = seq;
    this.#chain = chain;
    this.#bytes += length;
    this.#noteInIndex(events, lineEnds);
    return events;
  }

  /** Resolves when what was written is as safe as the policy, or the append, wants it. */
  async synced(options: { durable: boolean }): Promise<void> {
    try {
      await this.#sync.afterWrite(options);
    } catch (error) {
      throw writeFailure(error, this.place.path);
    }
  }

  async close(): Promise<void> {
    try {
      await this.#sync.finish();
    } catch (error) {
      throw writeFailure(error, this.place.path);
    } finally {
      this.#index?.close();
      closeSync(this.#fd);
      releaseLock(this.lock);
    }
  }

  #makeRoom(used: number, { before, printed, after }: EventJson): void {
    // A UTF-16 unit takes at most three bytes in UTF-8; counting them is only worth it when that might not fit.
    const units = before.length + printed.length + after.length;
    if (used + units * 3 + MEMBER_LENGTH <= this.#buffer.length) return;
    const bytes = Buffer.byteLength(before) + Buffer.byteLength(printed) + Buffer.byteLength(after);
    const needed = used + bytes + MEMBER_LENGTH;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2));
    this.#buffer.copy(larger, 0, 0, used);
    this.#buffer = larger;
  }

  #writeWhole(length: number, checksEnd: boolean): void {
    if (this.#fragment) this.#takeBackFragment();
    if (checksEnd) this.#orThrow(() => this.#dropForeign());
    try {
      // A write to a full disk first comes back short; only the next one fails.
      for (let written = 0; written < length; ) {
        // A log that was put back is not open for appending, and does not know its end.
        written += writeSync(this.#fd, this.#buffer, written, length - written, this.#bytes + written);
      }
    } catch (error) {
      this.#fragment = true;
      this.#takeBackFragment();
      throw writeFailure(error, this.place.path);
    } finally {
      if (this.#buffer.length > MAX_KEPT_BUFFER_BYTES) this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
    }
  }

  /** We hold the lock, so what we did not write no writer wrote. What is missing is missing: the chain says so. */
  #dropForeign(): void {
    const { size } = fstatSync(this.#fd);
    if (size === this.#bytes) return;
    this.#foreign = true;
    if (size > this.#bytes) ftruncateSync(this.#fd, this.#bytes);
  }

  #takeBackFragment(): void {
    this.#orThrow(() => ftruncateSync(this.#fd, this.#bytes));
    this.#fragment = false;
  }

  #orThrow(act: () => void): void {
    try {
      act();
    } catch (error) {
      throw writeFailure(error, this.place.path);
    }
  }

  #noteInIndex(events: readonly Event[], lineEnds: readonly number[]): void {
    if (this.#index === null) return;
    for (let n = 0; n < events.length; n++) {
      this.#index.note(events[n]!, lineEnds[n]!);
    }
    this.#index.flush();
  }
}
