import { TachoError } from '../../src/protocol/index.ts';
import { firstSize } from '../model/terminal/frames.ts';
import { Keyframes } from '../model/terminal/keyframes.ts';
import { addChunks, emptyRecording, type Recording } from '../model/terminal/recording.ts';
import type { Tape } from '../model/terminal/tape.ts';
import { BytePages } from '../source/byte-pages.ts';
import type { RunSession } from './run-session.ts';
import { Store } from './store.ts';

/** Minimum interval between requests for a live attempt. */
const POLL_MS = 250;
/** Output can come without events, so a live attempt is polled in any case. */
const IDLE_POLL_MS = 500;

interface Kept {
  recording: Recording;
  /** Why it is empty; null if it is not. */
  problem: 'missing' | Error | null;
  /** It has all chunks of an ended attempt. */
  complete: boolean;
  tape: Promise<Tape | null> | null;
}

/** When which output was read, for every attempt of a run; loaded once, and extended as it grows. */
export class Recordings {
  /** Incremented whenever there is more. */
  readonly version = new Store(0);
  readonly #session: RunSession;
  readonly #kept = new Map<number, Kept>();
  readonly #ending = new AbortController();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #loading = false;
  /** More events arrived while it was loading. */
  #again = false;

  constructor(session: RunSession) {
    this.#session = session;
    const stop = session.version.subscribe(() => this.#schedule(POLL_MS));
    this.#ending.signal.addEventListener('abort', stop);
  }

  close(): void {
    this.#ending.abort();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  /** Undefined while nothing is known about it. */
  get(attempt: number): Kept | undefined {
    return this.#kept.get(attempt);
  }

  all(): Recording[] {
    return [...this.#kept.values()].map(({ recording }) => recording);
  }

  /** What is needed to play an attempt; null if there is no merged file. */
  tape(attempt: number): Promise<Tape | null> {
    const kept = this.#kept.get(attempt);
    if (!kept || kept.recording.header === null) return Promise.resolve(null);
    kept.tape ??= this.#openTape(kept.recording, kept.recording.header);
    kept.tape.catch(() => {
      kept.tape = null;
    });
    return kept.tape;
  }

  async #openTape(recording: Recording, header: number): Promise<Tape> {
    const { source } = this.#session;
    const pages = new BytePages((window) => source.raw('pty', recording.attempt, window, this.#ending.signal));
    const line = new TextDecoder().decode(await pages.read(0, header));
    const read = (from: number, to: number) => pages.read(from, to);
    return { recording, size: firstSize(line), keyframes: new Keyframes(), read };
  }

  #schedule(delay: number): void {
    if (this.#loading) this.#again = true;
    if (this.#ending.signal.aborted || this.#loading) return;
    this.#timer ??= setTimeout(() => void this.#load(), this.#kept.size === 0 ? 0 : delay);
  }

  async #load(): Promise<void> {
    this.#timer = null;
    this.#loading = true;
    this.#again = false;
    const { attempts, status } = this.#session.model;
    // An attempt in the queue has recorded nothing.
    for (const attempt of status === 'queued' ? attempts.slice(0, -1) : [...attempts]) {
      if (this.#ending.signal.aborted) return;
      const kept = this.#kept.get(attempt.number) ?? first(attempt.number);
      // Checked before reading, so that nothing in between is missed.
      const over = attempt.ending !== null;
      if (kept.complete) continue;
      await this.#grow(kept);
      kept.complete = over;
      this.#kept.set(attempt.number, kept);
    }
    this.#loading = false;
    if (this.#again) this.#schedule(POLL_MS);
    else if (this.#session.isLive) this.#schedule(IDLE_POLL_MS);
  }

  async #grow(kept: Kept): Promise<void> {
    const { recording } = kept;
    const before = recording.chunks;
    try {
      for (let more = true; more; ) {
        const answer = await this.#session.source.timing(recording.attempt, recording.chunks, this.#ending.signal);
        addChunks(recording, answer);
        more = answer.next_cursor !== null && answer.chunks.length > 0;
      }
      kept.problem = null;
    } catch (error) {
      const missing = error instanceof TachoError && error.code === 'ATTEMPT_NOT_FOUND';
      kept.problem = missing ? 'missing' : (error as Error);
    }
    if (recording.chunks > before || !this.#kept.has(recording.attempt)) {
      this.#kept.set(recording.attempt, kept);
      this.version.set(this.version.get() + 1);
    }
  }
}

function first(attempt: number): Kept {
  return { recording: emptyRecording(attempt), problem: null, complete: false, tape: null };
}
