import fs from 'node:fs';
import { errnoOf, openRegularFile } from '../../files/index.ts';
import type { FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import type { SeenEntry } from './walk-workspace.ts';

/** Two changes within this time may have the same times: the clock of a file system is coarse. */
const RACY_MS = 20;

export interface KeepLimits {
  /** Files, folders and links that are looked at. */
  entries: number;
  /** Contents that are kept by one look. */
  totalBytes: number;
  fileBytes: number;
}

export const KEEP_LIMITS: KeepLimits = { entries: 5000, totalBytes: 64 * 1024 * 1024, fileBytes: 8 * 1024 * 1024 };

/** An entry as it was when it was last looked at. */
export interface KeptEntry extends FileVersion {
  /** Changes with the content, whatever a program does to hide it. */
  print: string;
  /** It may change once more without a change of its print. */
  isRacy: boolean;
}

/** What one look may still read. */
export interface Allowance {
  limits: KeepLimits;
  bytesLeft: number;
}

export function printOf({ type, stat }: SeenEntry): string {
  // The times of a folder change with its entries, which are looked at by themselves.
  if (type === 'folder') return `folder ${stat.mode}`;
  return `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino} ${stat.mode}`;
}

/** Puts the content of an entry into the vault, if it can be read within the limits. Never throws for what is there. */
export function keepEntry(entry: SeenEntry, vault: Pick<Vault, 'put'>, allowance: Allowance): KeptEntry {
  const { type, stat } = entry;
  const mode = Number(stat.mode) & 0o7777;
  const isRacy = Number(stat.ctimeMs) > Date.now() - RACY_MS;
  const kept = { print: printOf(entry), isRacy };
  const lost = (reason: string): KeptEntry => ({ ...kept, key: null, type: 'file', mode, lost: reason });
  try {
    switch (type) {
      case 'folder':
        return { ...kept, isRacy: false, type, mode, key: vault.put(Buffer.alloc(0)) };
      case 'link':
        return { ...kept, type, key: vault.put(fs.readlinkSync(entry.place, { encoding: 'buffer' })) };
      case 'other':
        return lost('it is not a regular file');
      case 'file': {
        const refusal = refusalOf(stat, allowance);
        if (refusal !== null) return lost(refusal);
        const bytes = readWhole(entry.place, allowance.limits.fileBytes);
        if (bytes === null) return lost('it changed while it was read');
        allowance.bytesLeft -= bytes.length;
        return { ...kept, type, mode, key: vault.put(bytes) };
      }
    }
  } catch (error) {
    const why = errnoOf(error) ?? (error instanceof Error ? error.message : String(error));
    return lost(`it could not be kept (${why})`);
  }
}

function refusalOf({ size }: fs.BigIntStats, { limits, bytesLeft }: Allowance): string | null {
  if (size > limits.fileBytes) return `it has ${size} bytes, more than ${limits.fileBytes}`;
  if (size > bytesLeft) return `the files have more than ${limits.totalBytes} bytes in total`;
  return null;
}

/** Null if it is not the same at the end as at the beginning: another process writes it. */
function readWhole(place: string, maxBytes: number): Buffer | null {
  const fd = openRegularFile(place);
  try {
    const before = fs.fstatSync(fd, { bigint: true });
    if (before.size > maxBytes) return null;
    // A file that grows without end is not read without end.
    const bytes = Buffer.alloc(Number(before.size) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count) {
      count = fs.readSync(fd, bytes, length, bytes.length - length, length);
    }
    const after = fs.fstatSync(fd, { bigint: true });
    const isSame = length === Number(before.size) && after.mtimeNs === before.mtimeNs && after.size === before.size;
    return isSame ? bytes.subarray(0, length) : null;
  } finally {
    fs.closeSync(fd);
  }
}
