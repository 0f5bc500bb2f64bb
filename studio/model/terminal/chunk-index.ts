/**
 * Reads `chunks.N.idx`, which says when which bytes were read: a header and then one record for each read, all of
 * `CHUNK_RECORD_BYTES`. docs/recording.md has the layout.
 */
export const CHUNK_RECORD_BYTES = 32;
const MAGIC = 'TACHO-CHUNKS/1\n';
const SOURCES = ['input', 'a', 'b', 'resize'] as const;

export interface Chunk {
  /** Microseconds since the epoch. */
  time: number;
  /** Terminal `a` is stdout, or everything where nothing was split; `b` is stderr. */
  source: (typeof SOURCES)[number];
  /** For `resize`, columns << 16 | rows. */
  length: number;
  /** Bytes of each stream up to and including this chunk. */
  ends: { input: number; a: number; b: number };
}

/** True for the header of an index, or for what a crash left of it. */
export function isChunkHeader(header: Uint8Array): boolean {
  return header.every((byte, at) => byte === (at < MAGIC.length ? MAGIC.charCodeAt(at) : 0));
}

/** How many whole records an index of this size has. */
export function chunkCount(fileBytes: number): number {
  return Math.max(0, Math.floor(fileBytes / CHUNK_RECORD_BYTES) - 1);
}

export function decodeChunks(records: Uint8Array): Chunk[] {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
  const chunks: Chunk[] = [];
  for (let at = 0; at + CHUNK_RECORD_BYTES <= records.length; at += CHUNK_RECORD_BYTES) {
    chunks.push({
      time: view.getFloat64(at, true),
      source: SOURCES[view.getUint8(at + 26)] ?? 'a',
      length: view.getUint32(at + 28, true),
      ends: { input: uint48(view, at + 8), a: uint48(view, at + 14), b: uint48(view, at + 20) },
    });
  }
  return chunks;
}

function uint48(view: DataView, at: number): number {
  return view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32;
}
