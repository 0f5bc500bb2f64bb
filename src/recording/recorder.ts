import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { attemptFileNames, type RawStream, type RecordingLevel } from '../protocol/index.ts';
import { CHUNK_RECORD_BYTES, type Chunk, type ChunkSource, chunkIndexHeader, encodeChunk } from '../record/index.ts';
import { appendAll, createAttemptFile, writeFailure } from './attempt-file.ts';
import type { Clock } from './clock.ts';
import { ptyOutputHeader, type TimingHeader, timingEntry, timingHeader, timingResize } from './timing.ts';

const syncData = promisify(fs.fdatasync);

export interface RecorderOptions {
  auditFolder: string;
  attempt: number;
  mode: 'split' | 'merged';
  level: RecordingLevel;
  clock: Clock;
  header: TimingHeader;
  /** Bytes that are now in the files, in the order of reading; the views are valid during the call only. */
  onRecorded(chunks: readonly RecordedChunk[]): void;
  /** Called once, when a file can no longer be written. What arrives afterwards is counted, not kept. */
  onFailure(error: unknown): void;
}

export interface RecordedChunk {
  stream: 'stdout' | 'stderr' | 'pty';
  bytes: Buffer;
  /** Microseconds since the epoch. */
  time: number;
}

/** One stream's file: how long it is and what its bytes hash to so far. */
interface StreamFile {
  fd: number;
  path: string;
  bytes: number;
  hash: Hash;
}

interface PendingChunk {
  source: ChunkSource;
  from: number;
  length: number;
  time: number;
}

const BATCH_BYTES = 256 * 1024;
/** A terminal gives 4 KiB a read; waiting this long turns hundreds of reads of a flood into one write each file. */
const GATHER_MS = 2;

/**
 * Puts bytes on disk and never looks into them. Reads of a few milliseconds are written together; the write is
 * synchronous, so a slow disk slows the program and never fills memory.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #streams: Partial<Record<RawStream, StreamFile>> = {};
  readonly #timing: { fd: number; path: string } | null;
  readonly #index: { fd: number; path: string };
  readonly #batch = Buffer.allocUnsafe(BATCH_BYTES);
  readonly #ends = { input: 0, a: 0, b: 0 };
  readonly #files: { fd: number; path: string }[] = [];
  readonly #checkpointed = new Map<RawStream, number>();
  #used = 0;
  #pending: PendingChunk[] = [];
  #scheduled: NodeJS.Timeout | null = null;
  #lastTiming: number;
  #failed = false;
  /** Nothing was written since the files were last forced to disk. */
  #durable = false;
  /** Bytes that arrived after the recording had failed, and those with which it failed. */
  unrecordedBytes = 0;
  /** Time of the last byte from the program, for the no-progress watch; microseconds. */
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
        this.#appendStream(pty, [Buffer.from(ptyOutputHeader(options.header))]);
      }
      this.#timing = full ? this.#open(names.timing) : null;
      // At every level: without the times of the bytes the events could not be read from them again.
      this.#index = this.#open(names.chunks);
      if (this.#timing) appendAll(this.#timing.fd, [Buffer.from(timingHeader(options.header))], this.#timing.path);
      appendAll(this.#index.fd, [Buffer.from(chunkIndexHeader())], this.#index.path);
    } catch (error) {
      for (const { fd } of this.#files) fs.closeSync(fd);
      throw error;
    }
  }

  /** What the program printed. The bytes are copied. */
  output(side: 'a' | 'b', bytes: Buffer): void {
    this.lastOutput = this.#options.clock.now();
    this.#add(side, bytes, this.lastOutput);
  }

  /** What was typed or sent to the program. */
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

  /** Size of a stream's file, header included; null when the level leaves it out. */
  size(stream: RawStream): number | null {
    return this.#streams[stream]?.bytes ?? null;
  }

  /** Streams that grew since the last call, with the hash of all they hold. */
  checkpoint(): { stream: RawStream; bytes: number; sha256: string }[] {
    this.flush();
    const grown: { stream: RawStream; bytes: number; sha256: string }[] = [];
    for (const [stream, file] of Object.entries(this.#streams) as [RawStream, StreamFile][]) {
      if (this.#checkpointed.get(stream) === file.bytes) continue;
      this.#checkpointed.set(stream, file.bytes);
      grown.push({ stream, bytes: file.bytes, sha256: file.hash.copy().digest('hex') });
    }
    return grown;
  }

  /** What was written to each stream's file, by its name; empty when writing failed, since then the files decide. */
  digests(): Map<string, { bytes: number; sha256: string }> {
    const digests = new Map<string, { bytes: number; sha256: string }>();
    if (this.#failed) return digests;
    for (const { path: file, bytes, hash } of Object.values(this.#streams)) {
      digests.set(path.basename(file), { bytes, sha256: hash.copy().digest('hex') });
    }
    return digests;
  }

  /** Everything received so far is in the files when this returns. */
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

  /** Forces all files to disk at once: a disk does that in the time it takes for one. */
  async makeDurable(): Promise<void> {
    this.flush();
    if (this.#failed) return;
    this.#durable = true;
    const results = await Promise.allSettled(this.#files.map(({ fd }) => syncData(fd)));
    for (const [index, result] of results.entries()) {
      // The kernel tells of each failure once, so it must not wait for the next try.
      if (result.status === 'rejected') throw writeFailure(this.#files[index]!.path, result.reason);
    }
  }

  /** Flushes, makes the files durable and closes them. */
  close(): void {
    this.flush();
    let failure: unknown = null;
    for (const { fd, path: file } of this.#files) {
      try {
        if (!this.#failed && !this.#durable) fs.fdatasyncSync(fd);
      } catch (cause) {
        failure ??= writeFailure(file, cause);
      }
      fs.closeSync(fd);
    }
    if (failure) throw failure;
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
    if (stdin) this.#appendStream(stdin, this.#pieces(pending, ['input']));
    if (stdout) this.#appendStream(stdout, this.#pieces(pending, ['a']));
    if (stderr) this.#appendStream(stderr, this.#pieces(pending, ['b']));
    if (pty) this.#appendStream(pty, this.#pieces(pending, ['a', 'b']));
    // The index comes after the bytes it speaks of, so that a crash leaves bytes without a record, never the reverse.
    this.#writeIndex(pending);
    this.#writeTiming(pending);
  }

  /** The batch's bytes from these sources, neighbours joined. */
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
    appendAll(this.#index.fd, [records], this.#index.path);
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
    appendAll(this.#timing.fd, [Buffer.from(text)], this.#timing.path);
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

  #appendStream(stream: StreamFile, pieces: readonly Buffer[]): void {
    appendAll(stream.fd, pieces, stream.path);
    for (const piece of pieces) {
      stream.hash.update(piece);
      stream.bytes += piece.length;
    }
  }

  #openStream(stream: RawStream, name: string): StreamFile {
    const file = { ...this.#open(name), bytes: 0, hash: createHash('sha256') };
    this.#streams[stream] = file;
    return file;
  }

  #open(name: string): { fd: number; path: string } {
    const at = path.join(this.#options.auditFolder, name);
    const file = { fd: createAttemptFile(at), path: at };
    this.#files.push(file);
    return file;
  }
}
