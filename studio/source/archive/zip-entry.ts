import type { FileEntry } from '@zip.js/zip.js/lib/zip-core-native.js';
import { ArchiveError } from './archive-error.ts';

/** Maximum bytes to unpack of one file: a page has no disk to store it. */
const MAX_BYTES = 512 * 1024 * 1024;

const LOCAL_HEADER_BYTES = 30;
const LOCAL_HEADER_MAGIC = 0x04034b50;
const STORED = 0;

/** The content of an entry. An uncompressed one is part of the archive itself, and costs nothing. */
export async function entryContent(archive: Blob, entry: FileEntry): Promise<Blob> {
  const { filename, uncompressedSize } = entry;
  if (entry.encrypted) throw new ArchiveError({ kind: 'damaged', file: filename, what: 'it is encrypted' });
  if (entry.compressionMethod === STORED) return storedContent(archive, entry);
  if (uncompressedSize > MAX_BYTES) {
    throw new ArchiveError({ kind: 'too_large', file: filename, bytes: uncompressedSize, most: MAX_BYTES });
  }
  return inflated(entry);
}

async function storedContent(archive: Blob, { filename, offset, uncompressedSize }: FileEntry): Promise<Blob> {
  const header = new DataView(await archive.slice(offset, offset + LOCAL_HEADER_BYTES).arrayBuffer());
  const whole = header.byteLength === LOCAL_HEADER_BYTES && header.getUint32(0, true) === LOCAL_HEADER_MAGIC;
  if (!whole) throw new ArchiveError({ kind: 'damaged', file: filename, what: 'its header is missing' });
  const from = offset + LOCAL_HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true);
  const content = archive.slice(from, from + uncompressedSize);
  if (content.size < uncompressedSize) {
    throw new ArchiveError({ kind: 'damaged', file: filename, what: 'it is cut short' });
  }
  return content;
}

async function inflated(entry: FileEntry): Promise<Blob> {
  const { filename, uncompressedSize } = entry;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const writable = new WritableStream<Uint8Array<ArrayBuffer>>({
    write(piece) {
      bytes += piece.length;
      // The stated size of an entry is only a claim; nothing beyond it is read.
      if (bytes > uncompressedSize) throw new Error('it holds more than it says');
      pieces.push(piece);
    },
  });
  try {
    await entry.getData(writable, { useWebWorkers: false, checkCrc32: true });
  } catch (error) {
    throw new ArchiveError({ kind: 'damaged', file: filename, what: (error as Error).message }, error);
  }
  return new Blob(pieces);
}
