import path from 'node:path';
import { attemptFileNames, type RawStream, type RecordingLevel } from '../protocol/index.ts';
import { CHUNK_RECORD_BYTES, type Chunk, type ChunkSource, chunkIndexHeader, encodeChunk } from '../record/index.ts';
import { AttemptFile } from './attempt-file.ts';
import type { Clock } from './clock.ts';
import { ptyOutputHeader, type TimingHeader, timingEntry, timingHeader, timingResize } from './timing.ts';

export interface RecorderOptions {
  auditFolder: string;
  attempt: number;
  mode: 'split' | 'merged';
  level: RecordingLevel;
  clock: Clock;
  header: TimingHeader;
  /** Bytes that are now in the files, in the order of reading; the views are valid only during the call. */
  onRecorded(chunks: readonly RecordedChunk[]): void;
  /** Called once, when a file can no longer be written. Later bytes are counted, but not stored. */
  onFailure(error: unknown): void;
}

export interface RecordedChunk {
  stream: 'stdout' | 'stderr' | 'pty';
  bytes: Buffer;
  /** Microseconds since the epoch. */
  time: number;
}

interface PendingChunk {
  source: ChunkSource;
  from: number;
  length: number;
  time: number;
}

const BATCH_BYTES = 256 * 1024;
/** A terminal returns 4 KiB per read; this delay combines hundreds of reads of heavy output into one write per file. */
const GATHER_MS = 2;

/**
 * Writes bytes to disk without parsing them. Reads within a few milliseconds are written together; writes are
 * synchronous, so a slow disk slows down the program and never fills memory.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  /** In the order of opening. */
  readonly files: AttemptFile[] = [];
  readonly #streams: Partial<Record<RawStream, AttemptFile>> = {};
  readonly #timing: AttemptFile | null;
  readonly #index: AttemptFile;
  readonly #batch = Buffer.allocUnsafe(BATCH_BYTES);
  readonly #ends = { input: 0, a: 0, b: 0 };
  readonly #checkpointed = new Map<RawStream, number>();
  #used = 0;
  #pending: PendingChunk[] = [];
  #scheduled: NodeJS.Timeout | null = null;
  #lastTiming: number;
  #failed = false;
  /** Nothing was written since the last fsync. */
  #durable = false;
  /** Bytes that arrived after the recording had failed, and those whose write failed. */
  unrecordedBytes = 0;
  /** Time of the last output in microseconds, for detecting missing progress. */
  lastOutput: number;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#lastTiming = this.lastOutput = options.clock.now();
    const names = attemptFileNames(options.attempt);
    const split = options.mode === 'split';
    const full = options.level !== 'minimal';
    try {
      this.#openStream('stdin', names.stdin);
      if (split) this.#openStream('stdout', names.stdout);
      if (split) this.#openStream('stderr', names.stderr);
      if (full || !split) {
        const pty = this.#openStream('pty', names.pty);
        pty.append([Buffer.from(ptyOutputHeader(options.header))]);
      }
      this.#timing = full ? this.#open(names.timing) : null;
      // At every level: parsing the bytes again requires their times.
      this.#index = this.#open(names.chunks);
      this.#timing?.append([Buffer.from(timingHeader(options.header))]);
      this.#index.append([Buffer.from(chunkIndexHeader())]);
    } catch (error) {
      for (const file of this.files) file.close();
      throw error;
    }
  }

  /** Output of the program. The bytes are copied. */
  output(side: 'a' | 'b', bytes: Buffer): void {
    this.lastOutput = this.#options.clock.now();
    this.#add(side, bytes, this.lastOutput);
  }

  /** Input that was typed or sent to the program. */
  input(bytes: Buffer): void {
    this.#add('input', bytes, this.#options.clock.now());
  }

  resize(cols: number, rows: number): void {
    this.#pending.push({
      source: 'resize',
      from: this.#used,
      length: ((cols << 16) | (rows & 0xffff)) >>> 0,
      time: this.#options.clock.now(),
    });
    this.#schedule();
  }

  /** Size of a stream's file, including its header; null if the level omits it. */
  size(stream: RawStream): number | null {
    return this.#streams[stream]?.bytes ?? null;
  }

  /** Sizes of the stream files. */
  get sizes(): Partial<Record<RawStream, number>> {
    const streams = Object.entries(this.#streams) as [RawStream, AttemptFile][];
    return Object.fromEntries(streams.map(([stream, { bytes }]) => [stream, bytes]));
  }

  /** Streams that grew since the last call, with the hash of their whole content. */
  checkpoint(): { stream: RawStream; bytes: number; sha256: string }[] {
    this.flush();
    const grown: { stream: RawStream; bytes: number; sha256: string }[] = [];
    for (const [stream, file] of Object.entries(this.#streams) as [RawStream, AttemptFile][]) {
      if (this.#checkpointed.get(stream) === file.bytes) continue;
      this.#checkpointed.set(stream, file.bytes);
      grown.push({ stream, ...file.digest() });
    }
    return grown;
  }

  /** When this returns, everything received so far is in the files. */
  flush(): void {
    if (this.#scheduled) clearTimeout(this.#scheduled);
    this.#scheduled = null;
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    this.#used = 0;
    if (this.#failed) {
      this.#countLost(pending);
      return;
    }
    try {
      this.#write(pending);
    } catch (error) {
      this.#failed = true;
      this.#countLost(pending);
      this.#options.onFailure(error);
      return;
    }
    this.#announce(pending);
  }

  /** Syncs all files concurrently, which takes a disk about as long as one. */
  async makeDurable(): Promise<void> {
    this.flush();
    if (this.#failed) return;
    this.#durable = true;
    // The kernel reports each error once, so wait for all results.
    const results = await Promise.allSettled(this.files.map((file) => file.sync()));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Flushes, makes the files durable and closes them. */
  close(): void {
    this.flush();
    const failures: unknown[] = [];
    for (const file of this.files) {
      try {
        file.close({ sync: !this.#durable });
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #add(source: 'input' | 'a' | 'b', bytes: Buffer, time: number): void {
    if (this.#failed) {
      this.unrecordedBytes += bytes.length;
      return;
    }
    for (let from = 0; from < bytes.length; ) {
      if (this.#used === BATCH_BYTES) this.flush();
      const length = Math.min(bytes.length - from, BATCH_BYTES - this.#used);
      bytes.copy(this.#batch, this.#used, from, from + length);
      this.#pending.push({ source, from: this.#used, length, time });
      this.#used += length;
      from += length;
    }
    this.#schedule();
  }

  #countLost(pending: readonly PendingChunk[]): void {
    for (const { source, length } of pending) if (source !== 'resize') this.unrecordedBytes += length;
  }

  #schedule(): void {
    this.#scheduled ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  #write(pending: readonly PendingChunk[]): void {
    this.#durable = false;
    const { stdin, stdout, stderr, pty } = this.#streams;
    stdin?.append(this.#pieces(pending, ['input']));
    stdout?.append(this.#pieces(pending, ['a']));
    stderr?.append(this.#pieces(pending, ['b']));
    pty?.append(this.#pieces(pending, ['a', 'b']));
    // The index is written after its bytes, so that a crash can leave bytes without an entry, but no entry without
    // bytes.
    this.#writeIndex(pending);
    this.#writeTiming(pending);
  }

  /** The batch's bytes from these sources, with adjacent ones joined. */
  #pieces(pending: readonly PendingChunk[], sources: readonly ChunkSource[]): Buffer[] {
    const pieces: Buffer[] = [];
    let from = 0;
    let to = 0;
    for (const chunk of pending) {
      if (chunk.source === 'resize' || !sources.includes(chunk.source)) continue;
      if (chunk.from !== to) {
        if (to > from) pieces.push(this.#batch.subarray(from, to));
        from = chunk.from;
      }
      to = chunk.from + chunk.length;
    }
    if (to > from) pieces.push(this.#batch.subarray(from, to));
    return pieces;
  }

  #writeIndex(pending: readonly PendingChunk[]): void {
    const records = Buffer.allocUnsafe(pending.length * CHUNK_RECORD_BYTES);
    const view = new DataView(records.buffer, records.byteOffset, records.length);
    const chunk: Chunk = { time: 0, source: 'a', length: 0, ends: this.#ends };
    pending.forEach(({ time, source, length }, position) => {
      if (source !== 'resize') this.#ends[source] += length;
      chunk.time = time;
      chunk.source = source;
      chunk.length = length;
      encodeChunk(chunk, view, position * CHUNK_RECORD_BYTES);
    });
    this.#index.append([records]);
  }

  #writeTiming(pending: readonly PendingChunk[]): void {
    if (!this.#timing) return;
    let text = '';
    for (const { source, time, length } of pending) {
      const elapsed = time - this.#lastTiming;
      this.#lastTiming = time;
      if (source === 'resize') text += timingResize(elapsed, length >>> 16, length & 0xffff);
      else text += timingEntry(source === 'input' ? 'I' : 'O', elapsed, length);
    }
    this.#timing.append([Buffer.from(text)]);
  }

  #announce(pending: readonly PendingChunk[]): void {
    const names = { a: this.#options.mode === 'split' ? 'stdout' : 'pty', b: 'stderr' } as const;
    const recorded: RecordedChunk[] = [];
    for (const { source, from, length, time } of pending) {
      if (source === 'a' || source === 'b') {
        recorded.push({ stream: names[source], bytes: this.#batch.subarray(from, from + length), time });
      }
    }
    if (recorded.length > 0) this.#options.onRecorded(recorded);
  }

  #openStream(stream: RawStream, name: string): AttemptFile {
    const file = this.#open(name);
    this.#streams[stream] = file;
    return file;
  }

  #open(name: string): AttemptFile {
    const file = new AttemptFile(path.join(this.#options.auditFolder, name));
    this.files.push(file);
    return file;
  }
}
