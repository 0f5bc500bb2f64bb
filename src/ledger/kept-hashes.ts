import fs from 'node:fs';
import { readAt } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import { addedHashes, keptHashes, type ReadHash } from '../record/index.ts';
import { walkEntries } from './entry-log.ts';

const HASH_BYTES = 32;

/** The hashes of the tree over a ledger's entries. They only save time: whatever is missing is made again from the entries. */
export class KeptHashes {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  readonly read: ReadHash = (position) => readAt(this.#fd, position * HASH_BYTES, HASH_BYTES).toString('hex');

  /** Whether the file holds the hashes of exactly `size` entries, the last of which has this leaf hash. */
  fits(size: number, lastLeaf: string | null): boolean {
    const { size: bytes } = fs.fstatSync(this.#fd);
    if (bytes !== keptHashes(size) * HASH_BYTES) return false;
    return size === 0 || this.read(keptHashes(size - 1)) === lastLeaf;
  }

  /** The leaf of entry number `n`, after which there is nothing yet. */
  add(leaf: string, n: number): void {
    const added = addedHashes(leaf, n, this.read, nodeSha256);
    writeAll(this.#fd, Buffer.from(added.join(''), 'hex'), keptHashes(n) * HASH_BYTES);
  }

  rebuild(entries: number): void {
    const hashes: string[] = [];
    let n = 0;
    for (const { leaf } of walkEntries(entries)) {
      hashes.push(...addedHashes(leaf, n, (position) => hashes[position]!, nodeSha256));
      n++;
    }
    fs.ftruncateSync(this.#fd, 0);
    writeAll(this.#fd, Buffer.from(hashes.join(''), 'hex'), 0);
  }
}

export function writeAll(fd: number, bytes: Buffer, at: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += fs.writeSync(fd, bytes, written, bytes.length - written, at + written);
  }
}
