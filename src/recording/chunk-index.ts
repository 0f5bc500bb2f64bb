import fs from 'node:fs';
import { readAt } from '../files/read-at.ts';
import { TachoError } from '../protocol/index.ts';

/**
 * `chunks.N.idx`: one fixed-size record per read, in the order of reading. Each carries where every stream stood after
 * it, so both byte → time and time → byte are binary searches, and the records in order are the merge order.
 *
 *   header   32 bytes   "TACHO-CHUNKS/1\n", zero-filled
 *   record   32 bytes   f64 time in µs since the epoch · u48 end of input · u48 end of terminal A · u48 end of
 *                       terminal B · u8 source · u8 zero · u32 length      (little-endian)
 *
 * Terminal A is stdout (or everything, in `merged` mode), terminal B stderr. Ends count payload bytes.
 */
export const CHUNK_RECORD_BYTES = 32;
const MAGIC = 'TACHO-CHUNKS/1\n';

/** Where a chunk came from; the number is the one in the file. */
export const CHUNK_SOURCES = ['input', 'a', 'b', 'resize'] as const;
export type ChunkSource = (typeof CHUNK_SOURCES)[number];

export interface Chunk {
  /** Microseconds since the epoch. */
  time: number;
  source: ChunkSource;
  length: number;
  /** Bytes of each stream up to and including this chunk. For `resize`, length holds cols << 16 | rows. */
  ends: { input: number; a: number; b: number };
}

export function chunkIndexHeader(): Buffer {
  const header = Buffer.alloc(CHUNK_RECORD_BYTES);
  header.write(MAGIC, 'latin1');
  return header;
}

export function encodeChunk(chunk: Chunk, into: Buffer, at: number): void {
  into.writeDoubleLE(chunk.time, at);
  into.writeUIntLE(chunk.ends.input, at + 8, 6);
  into.writeUIntLE(chunk.ends.a, at + 14, 6);
  into.writeUIntLE(chunk.ends.b, at + 20, 6);
  into[at + 26] = CHUNK_SOURCES.indexOf(chunk.source);
  into[at + 27] = 0;
  into.writeUInt32LE(chunk.length, at + 28);
}

function decodeChunk(from: Buffer, at: number): Chunk {
  return {
    time: from.readDoubleLE(at),
    source: CHUNK_SOURCES[from[at + 26]!] ?? 'a',
    length: from.readUInt32LE(at + 28),
    ends: { input: from.readUIntLE(at + 8, 6), a: from.readUIntLE(at + 14, 6), b: from.readUIntLE(at + 20, 6) },
  };
}

/** Read access to a chunk index; a record cut short by a crash is not there. */
export class ChunkIndex {
  readonly length: number;
  readonly #fd: number;

  static open(path: string): ChunkIndex {
    return new ChunkIndex(path);
  }

  private constructor(path: string) {
    this.#fd = fs.openSync(path, 'r');
    const size = fs.fstatSync(this.#fd).size;
    const header = readAt(this.#fd, 0, CHUNK_RECORD_BYTES);
    // A crash may have cut the header short, too.
    if (!header.equals(chunkIndexHeader().subarray(0, header.length))) {
      fs.closeSync(this.#fd);
      throw new TachoError('FORMAT_TOO_NEW', `${path} is not a chunk index this tacho can read`, {
        facts: { path },
        fix: 'Use the tacho version that made the record.',
      });
    }
    this.length = Math.max(0, Math.floor((size - CHUNK_RECORD_BYTES) / CHUNK_RECORD_BYTES));
  }

  at(position: number): Chunk {
    return decodeChunk(readAt(this.#fd, (position + 1) * CHUNK_RECORD_BYTES, CHUNK_RECORD_BYTES), 0);
  }

  /** All records in order, read in blocks. */
  *chunks(from = 0): Generator<Chunk> {
    const block = Buffer.alloc(CHUNK_RECORD_BYTES * 2048);
    for (let position = from; position < this.length; ) {
      const wanted = Math.min(2048, this.length - position) * CHUNK_RECORD_BYTES;
      const read = fs.readSync(this.#fd, block, 0, wanted, (position + 1) * CHUNK_RECORD_BYTES);
      const records = Math.floor(read / CHUNK_RECORD_BYTES);
      if (records === 0) return;
      for (let i = 0; i < records; i++) yield decodeChunk(block, i * CHUNK_RECORD_BYTES);
      position += records;
    }
  }

  /** When the byte at `offset` of a stream was read; null beyond the end. */
  timeOfByte(source: 'input' | 'a' | 'b', offset: number): number | null {
    const position = this.#firstWhere((chunk) => chunk.ends[source] > offset);
    return position < this.length ? this.at(position).time : null;
  }

  /** How many bytes of each stream had been read at `time`, that moment included. */
  bytesAtTime(time: number): { input: number; a: number; b: number } {
    const position = this.#firstWhere((chunk) => chunk.time > time);
    return position === 0 ? { input: 0, a: 0, b: 0 } : this.at(position - 1).ends;
  }

  close(): void {
    fs.closeSync(this.#fd);
  }

  /** Binary search: every condition used here, once true, stays true. */
  #firstWhere(condition: (chunk: Chunk) => boolean): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (condition(this.at(middle))) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
