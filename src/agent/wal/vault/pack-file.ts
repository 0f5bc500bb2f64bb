import { randomBytes } from 'node:crypto';
import { closeSync, fdatasync, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { errnoOf, openRegularFile, readAt } from '../../../files/index.ts';
import { claimFailure, writeFailure } from '../../../journal/file/file-errors.ts';
import { vaultDamaged } from './vault-damage.ts';

/**
 * The file of a vault: a header, then records one after the other. All numbers are little-endian.
 *
 *     header   20 bytes  "tacho-agent-vault/1\n"
 *              32 bytes  key of all digests, random
 *     record    4 bytes  crc32 of the next 37
 *               1 byte   kind
 *               4 bytes  length of the content
 *              32 bytes  digest
 *               …        content
 *
 * A record counts once all of it is there, so a writer that was killed leaves at most a part of one at the end, which
 * nothing refers to.
 */
const MAGIC = Buffer.from('tacho-agent-vault/1\n');
const KEY_BYTES = 32;
const HEADER_BYTES = MAGIC.length + KEY_BYTES;
const DIGEST_BYTES = 32;
const RECORD_HEAD_BYTES = 4 + 1 + 4 + DIGEST_BYTES;
const WINDOW_BYTES = 64 * 1024;

export interface PackRecord {
  kind: number;
  /** 64 hex digits. */
  digest: string;
  content: Uint8Array;
}

interface FoundRecords {
  offsets: Map<string, number>;
  end: number;
}

const syncData = promisify(fdatasync);

/** Owns the file. */
export class PackFile {
  readonly path: string;
  readonly key: Buffer;
  readonly #fd: number;
  /** Of the records, by their digests. */
  readonly #offsets: Map<string, number>;
  #end: number;
  /** What was there when the file was opened may not be on the disk either. */
  #syncedTo = 0;
  /** A failed write left bytes behind that could not be removed yet. */
  #hasFragment = false;

  private constructor(path: string, fd: number, key: Buffer, found: FoundRecords) {
    this.path = path;
    this.key = key;
    this.#fd = fd;
    this.#offsets = found.offsets;
    this.#end = found.end;
  }

  /**
   * For the one writer of the run: removes a partial record at the end. `create`: makes the file if it is missing, or
   * was left without a whole header.
   */
  static openToWrite(path: string, { create }: { create: boolean }): PackFile {
    return PackFile.#open(path, (fd) => {
      const { size } = fstatSync(fd);
      if (create && size < HEADER_BYTES) {
        writeSync(fd, Buffer.concat([MAGIC, randomBytes(KEY_BYTES)]), 0, HEADER_BYTES, 0);
      }
      const pack = PackFile.#load(path, fd);
      if (pack.#end < size) ftruncateSync(fd, pack.#end);
      return pack;
    });
  }

  static openToRead(path: string): PackFile {
    return PackFile.#open(path, (fd) => PackFile.#load(path, fd), 'read');
  }

  static #open(path: string, load: (fd: number) => PackFile, purpose: 'update' | 'read' = 'update'): PackFile {
    let fd: number | null = null;
    try {
      fd = openRegularFile(path, purpose);
      return load(fd);
    } catch (error) {
      if (fd !== null) closeSync(fd);
      const errno = errnoOf(error);
      if (errno === 'ENOENT') throw vaultDamaged(path, 'it is missing');
      if (errno === 'EINVAL' || errno === 'ELOOP' || errno === 'ENXIO')
        throw vaultDamaged(path, 'it is not a regular file');
      throw claimFailure(error, path);
    }
  }

  static #load(path: string, fd: number): PackFile {
    const header = readAt(fd, 0, HEADER_BYTES);
    if (header.length === HEADER_BYTES && header.subarray(0, MAGIC.length).equals(MAGIC)) {
      return new PackFile(path, fd, Buffer.from(header.subarray(MAGIC.length)), findRecords(fd, path));
    }
    throw vaultDamaged(path, 'it does not begin with the header of a vault');
  }

  has(digest: string): boolean {
    return this.#offsets.has(digest);
  }

  /** Writes all of the record or nothing. */
  add({ kind, digest, content }: PackRecord): void {
    const bytes = Buffer.allocUnsafe(RECORD_HEAD_BYTES + content.length);
    bytes[4] = kind;
    bytes.writeUInt32LE(content.length, 5);
    bytes.write(digest, 9, 'hex');
    bytes.writeUInt32LE(crc32(bytes.subarray(4, RECORD_HEAD_BYTES)), 0);
    bytes.set(content, RECORD_HEAD_BYTES);
    try {
      if (this.#hasFragment) this.#removeFragment();
      // A write to a full disk first comes back short; only the next one fails.
      for (let written = 0; written < bytes.length; ) {
        this.#hasFragment = true;
        written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written);
      }
      this.#hasFragment = false;
    } catch (error) {
      try {
        this.#removeFragment();
      } catch {
        // Tried again before the next record.
      }
      throw writeFailure(error, this.path);
    }
    this.#offsets.set(digest, this.#end);
    this.#end += bytes.length;
  }

  /** Null if there is none with this digest. The content is not checked against it. */
  read(digest: string): { kind: number; content: Buffer } | null {
    const offset = this.#offsets.get(digest);
    if (offset === undefined) return null;
    const head = recordHead(readAt(this.#fd, offset, RECORD_HEAD_BYTES));
    if (head === null || head.digest !== digest)
      throw vaultDamaged(this.path, `the record at byte ${offset} was changed`);
    const content = Buffer.allocUnsafe(head.length);
    let filled = 0;
    while (filled < content.length) {
      const at = offset + RECORD_HEAD_BYTES + filled;
      const read = readSync(this.#fd, content, filled, content.length - filled, at);
      if (read === 0) throw vaultDamaged(this.path, `it ends within the record at byte ${offset}`);
      filled += read;
    }
    return { kind: head.kind, content };
  }

  /** Forces all records so far to the disk. Null if they are there. */
  sync(): Promise<void> | null {
    return this.#syncedTo === this.#end ? null : this.#sync(this.#end);
  }

  async #sync(end: number): Promise<void> {
    try {
      await syncData(this.#fd);
    } catch (error) {
      throw writeFailure(error, this.path);
    }
    this.#syncedTo = Math.max(this.#syncedTo, end);
  }

  close(): void {
    closeSync(this.#fd);
  }

  #removeFragment(): void {
    ftruncateSync(this.#fd, this.#end);
    this.#hasFragment = false;
  }
}

/** Where the records are, by their heads only; contents are skipped. */
function findRecords(fd: number, path: string): FoundRecords {
  const { size } = fstatSync(fd);
  const offsets = new Map<string, number>();
  let window: Buffer = Buffer.alloc(0);
  let windowFrom = 0;
  let at = HEADER_BYTES;
  while (at + RECORD_HEAD_BYTES <= size) {
    if (at < windowFrom || at + RECORD_HEAD_BYTES > windowFrom + window.length) {
      window = readAt(fd, at, WINDOW_BYTES);
      windowFrom = at;
    }
    const head = recordHead(window.subarray(at - windowFrom, at - windowFrom + RECORD_HEAD_BYTES));
    if (head === null) {
      // After a power cut a file may end with zeros that stand for lost bytes.
      if (isZero(fd, at, size)) break;
      throw vaultDamaged(path, `the record at byte ${at} was changed`);
    }
    const end = at + RECORD_HEAD_BYTES + head.length;
    if (end > size) break;
    offsets.set(head.digest, at);
    at = end;
  }
  return { offsets, end: at };
}

function recordHead(bytes: Buffer): { kind: number; length: number; digest: string } | null {
  if (bytes.length < RECORD_HEAD_BYTES) return null;
  if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4, RECORD_HEAD_BYTES))) return null;
  return { kind: bytes[4]!, length: bytes.readUInt32LE(5), digest: bytes.toString('hex', 9, RECORD_HEAD_BYTES) };
}

function isZero(fd: number, from: number, to: number): boolean {
  for (let at = from; at < to; at += WINDOW_BYTES) {
    if (readAt(fd, at, Math.min(WINDOW_BYTES, to - at)).some((byte) => byte !== 0)) return false;
  }
  return true;
}
