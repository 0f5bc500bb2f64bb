import { closeSync, writeSync } from 'node:fs';
import { errnoOf, openRegularFile, readAt } from '../../files/index.ts';
import { claimFailure, writeFailure } from '../../journal/file/file-errors.ts';
import { damaged } from './damage.ts';
import type { Vault } from './vault/vault.ts';

/** An event that was forced to the disk, by its number and its chain value. */
export interface Head {
  seq: number;
  chain: string;
}

/** `<seq> <chain> <MAC>`, padded, so that a later one covers all of an earlier one and fits into one sector. */
const SEQ_DIGITS = 16;
const HEAD_BYTES = SEQ_DIGITS + 1 + 64 + 1 + 64 + 1;
const HEAD = /^ *(\d+) ([0-9a-f]{64}) ([0-9a-f]{64})\n$/;

/**
 * Where the log was when it was last forced to the disk. The chain of a log shows a changed line, but not that lines are
 * missing at its end, nor that all of it was written anew. This does: it is signed with the key of the vault.
 */
export class HeadFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #vault: Vault;

  /** Opens it to write, and makes it if it is missing. */
  constructor(path: string, vault: Vault) {
    this.#path = path;
    this.#vault = vault;
    try {
      this.#fd = openRegularFile(path, 'update');
    } catch (error) {
      throw claimFailure(error, path);
    }
  }

  write({ seq, chain }: Head): void {
    const signed = `${String(seq).padStart(SEQ_DIGITS)} ${chain}`;
    try {
      writeSync(this.#fd, `${signed} ${this.#vault.sign(signed)}\n`, 0, 'latin1');
    } catch (error) {
      throw writeFailure(error, this.#path);
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** A reader beside the writer may read while it writes; then the next attempt gets it whole. */
const MAX_ATTEMPTS = 5;

/** Null if there is none. */
export function readHead(path: string, vault: Vault): Head | null {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const text = readText(path);
    if (text === '') return null;
    const [, seq, chain, mac] = HEAD.exec(text) ?? [];
    if (chain && mac === vault.sign(text.slice(0, SEQ_DIGITS + 1 + 64))) return { seq: Number(seq), chain };
  }
  throw damaged(path, { reason: 'the signed position of the log was changed' });
}

/** Empty if there is no such file. */
function readText(path: string): string {
  try {
    const fd = openRegularFile(path);
    try {
      return readAt(fd, 0, HEAD_BYTES + 1).toString('latin1');
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw claimFailure(error, path);
  }
}
