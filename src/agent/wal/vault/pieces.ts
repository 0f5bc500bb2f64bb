/** Longer contents are kept in pieces of this size, so that they can be written and read one after the other. */
export const PIECE_BYTES = 256 * 1024;
const KEY_BYTES = 32;
const LENGTH_BYTES = 8;

/** A list of pieces has its own kind, which is part of its digest: it is never taken for a content. */
export type RecordKind = 'content' | 'pieces';

export interface PieceWriter {
  push(chunk: Uint8Array): void;
  /** The key of the whole content. */
  end(): string;
}

/**
 * Cuts a content into pieces, in the same way however it arrives, and hands them to `keep`, which returns their keys.
 * After several pieces follows a list: the length of the content (8 bytes, little-endian), then their keys.
 */
export function createPieceWriter(keep: (kind: RecordKind, content: Uint8Array) => string): PieceWriter {
  const keys: Buffer[] = [];
  let length = 0;
  const rest = Buffer.allocUnsafe(PIECE_BYTES);
  let restBytes = 0;

  function keepPiece(): void {
    keys.push(Buffer.from(keep('content', rest.subarray(0, restBytes)), 'hex'));
    restBytes = 0;
  }

  return {
    push(chunk) {
      length += chunk.length;
      for (let at = 0; at < chunk.length; ) {
        // Only now is it known that this piece is not the last one.
        if (restBytes === PIECE_BYTES) keepPiece();
        const part = chunk.subarray(at, at + PIECE_BYTES - restBytes);
        rest.set(part, restBytes);
        restBytes += part.length;
        at += part.length;
      }
    },
    end() {
      if (keys.length === 0) return keep('content', rest.subarray(0, restBytes));
      keepPiece();
      const head = Buffer.alloc(LENGTH_BYTES);
      head.writeBigUInt64LE(BigInt(length));
      return keep('pieces', Buffer.concat([head, ...keys]));
    },
  };
}

export function keysInList(list: Buffer): string[] {
  const keys: string[] = [];
  for (let at = LENGTH_BYTES; at < list.length; at += KEY_BYTES) keys.push(list.toString('hex', at, at + KEY_BYTES));
  return keys;
}
