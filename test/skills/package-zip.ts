import { once } from 'node:events';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export interface ZipEntry {
  name: string;
  content: string | Buffer;
  mode?: number;
}

/** A zip of these files. */
export async function zipOf(entries: readonly ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content, mode = 0o100644 } of entries)
    zip.addBuffer(Buffer.from(content as string), name, { mode });
  zip.end();
  return await buffer(zip.outputStream);
}

/** A zip with the file `zeros` of so many bytes, made without holding them in memory. */
export async function bombOf(bytes: number, entries: readonly ZipEntry[]): Promise<Buffer> {
  const zip = new ZipFile();
  for (const { name, content } of entries) zip.addBuffer(Buffer.from(content as string), name);
  zip.addReadStream(Readable.from(zeros(bytes)), 'review/zeros', { compressionLevel: 1 });
  const content = buffer(zip.outputStream);
  const failed = once(zip as unknown as NodeJS.EventEmitter, 'error');
  zip.end();
  return await Promise.race([content, failed.then(([error]) => Promise.reject(error as Error))]);
}

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(1024 * 1024);
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, Math.min(left, chunk.length));
}

/** The zip with a name replaced by another of the same length, which a program that makes zips would refuse. */
export function renamed(zip: Buffer, from: string, to: string): Buffer {
  if (Buffer.byteLength(from) !== Buffer.byteLength(to)) throw new Error('names of different lengths');
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

const CENTRAL_ENTRY = 0x02014b50;
const UNCOMPRESSED_AT = 24;

/** The zip with a false size of its last file. */
export function withStatedSize(zip: Buffer, bytes: number): Buffer {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(CENTRAL_ENTRY);
  const changed = Buffer.from(zip);
  changed.writeUInt32LE(bytes, changed.lastIndexOf(signature) + UNCOMPRESSED_AT);
  return changed;
}
