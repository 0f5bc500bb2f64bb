import fs from 'node:fs';
import path from 'node:path';
import { openFolder, openRegularFile, openUnlinked } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import type { LedgerEntry } from '../protocol/index.ts';
import { sealName } from './seal-helper.ts';

const MAX_SEAL_BYTES = 64 * 1024 * 1024;

/** The seals that a ledger lists, where they should be. A hundred thousand are read in a row, so into the same memory. */
export class ListedSeals {
  readonly #runsRoot: string;
  readonly #folder: number | null;
  #scratch = Buffer.allocUnsafe(64 * 1024);

  constructor(runsRoot: string) {
    this.#runsRoot = runsRoot;
    this.#folder = openIfThere(runsRoot);
  }

  close(): void {
    if (this.#folder !== null) fs.closeSync(this.#folder);
  }

  /** What is wrong with the seal of an entry; null when it is the one that was entered. */
  problemOf(entry: LedgerEntry): string | null {
    const { seal, at } = entry;
    const name = sealName(entry);
    try {
      const hash = this.#quickHash(name) ?? this.#carefulHash(path.join(this.#runsRoot, name));
      return hash === seal ? null : `is not the seal that was made at ${at}`;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return code === 'ENOENT' || code === 'ENOTDIR' ? `is gone; it was made at ${at}` : `cannot be read: ${message}`;
    }
  }

  /** Null for what is not an ordinary seal in an ordinary folder. */
  #quickHash(name: string): string | null {
    const fd = this.#folder === null ? null : openUnlinked(this.#folder, name);
    if (fd === null) return null;
    try {
      // At a position, which pipes refuse.
      const length = fs.readSync(fd, this.#scratch, 0, this.#scratch.length, 0);
      return length < this.#scratch.length ? nodeSha256.of(this.#scratch.subarray(0, length)) : null;
    } catch {
      return null;
    } finally {
      fs.closeSync(fd);
    }
  }

  #carefulHash(file: string): string {
    const fd = openRegularFile(file);
    try {
      const { size } = fs.fstatSync(fd);
      if (size > MAX_SEAL_BYTES) throw new Error('it is not a seal');
      if (size >= this.#scratch.length) this.#scratch = Buffer.allocUnsafe(size + 1);
      const length = fs.readSync(fd, this.#scratch, 0, this.#scratch.length, 0);
      return nodeSha256.of(this.#scratch.subarray(0, length));
    } finally {
      fs.closeSync(fd);
    }
  }
}

function openIfThere(folder: string): number | null {
  try {
    return openFolder(folder);
  } catch {
    return null;
  }
}
