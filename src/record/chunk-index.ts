import { TachoError } from '../protocol/index.ts';
import type { RecordFile } from './record-files.ts';

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

/** Where a chunk came from; the index is the number in the file. */
export const CHUNK_SOURCES = ['input', 'a', 'b', 'resize'] as const;
export type ChunkSource = (typeof CHUNK_SOURCES)[number];

export interface Chunk {
  /** Microseconds since the epoch. */
  time: number;
  source: ChunkSource;
  /** For `resize`, cols << 16 | rows. */
  length: number;
  /** Bytes of each stream up to and including this chunk. */
  ends: { input: number; a: number; b: number };
}

export function chunkIndexHeader(): Uint8Array {
  const header = new Uint8Array(CHUNK_RECORD_BYTES);
  new TextEncoder().encodeInto(MAGIC, header);
  return header;
}

export function encodeChunk(chunk: Chunk, into: DataView, at: number): void {
  into.setFloat64(at, chunk.time, true);
  setUint48(into, at + 8, chunk.ends.input);
  setUint48(into, at + 14, chunk.ends.a);
  setUint48(into, at + 20, chunk.ends.b);
  into.setUint8(at + 26, CHUNK_SOURCES.indexOf(chunk.source));
  into.setUint8(at + 27, 0);
  into.setUint32(at + 28, chunk.length, true);
}

/** The complete records in a part of the index that begins with a record. */
export function decodeChunks(records: Uint8Array): Chunk[] {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const chunks: Chunk[] = [];
  for (let at = 0; at + CHUNK_RECORD_BYTES <= records.length; at += CHUNK_RECORD_BYTES) {
    chunks.push({
      time: view.getFloat64(at, true),
      source: CHUNK_SOURCES[view.getUint8(at + 26)] ?? 'a',
      length: view.getUint32(at + 28, true),
      ends: { input: uint48(view, at + 8), a: uint48(view, at + 14), b: uint48(view, at + 20) },
    });
  }
  return chunks;
}

/** Throws FORMAT_TOO_NEW unless these are the first bytes of an index, possibly cut by a crash. */
export function checkChunkHeader(header: Uint8Array, name: string): void {
  const expected = chunkIndexHeader();
  if (header.every((byte, at) => byte === expected[at])) return;
  throw new TachoError('FORMAT_TOO_NEW', `${name} is not a chunk index that this version of tacho can read`, {
    facts: { path: name },
    fix: 'Use the version of tacho that made the record, or a later one.',
  });
}

/** Read access to a chunk index; a record cut by a crash is not included. */
export interface ChunkIndex {
  readonly length: number;
  at(position: number): Promise<Chunk>;
  read(from: number, to: number): Promise<Chunk[]>;
  /** The first chunk for which a monotonic condition holds; `length` if there is none. */
  firstWhere(condition: (chunk: Chunk) => boolean): Promise<number>;
}

export async function openChunkIndex(file: RecordFile, name: string): Promise<ChunkIndex> {
  checkChunkHeader(await file.read(0, Math.min(file.size, CHUNK_RECORD_BYTES)), name);
  const length = Math.max(0, Math.floor(file.size / CHUNK_RECORD_BYTES) - 1);
  const read = async (from: number, to: number) => {
    const end = Math.min(to, length);
    return from >= end
      ? []
      : decodeChunks(await file.read((from + 1) * CHUNK_RECORD_BYTES, (end + 1) * CHUNK_RECORD_BYTES));
  };
  const at = async (position: number) => (await read(position, position + 1))[0]!;
  return {
    length,
    at,
    read,
    async firstWhere(condition) {
      let low = 0;
      let high = length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (condition(await at(middle))) high = middle;
        else low = middle + 1;
      }
      return low;
    },
  };
}

function uint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}

function setUint48(view: DataView, at: number, value: number): void {
  view.setUint32(at, value % 2 ** 32, true);
  view.setUint16(at + 4, Math.floor(value / 2 ** 32), true);
}
