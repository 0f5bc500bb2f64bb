import type { FsEntry } from '../../protocol/index.ts';

/**
 * The state of one path as eleven 32-bit words: mode, inode (2), size (2), mtime (seconds 2, nanoseconds 1), ctime (the
 * same). A file with the same words has not been written to, so states can be compared without decoding them.
 */
export const STAT_WORDS = 11;
const INODE = 1;
const SIZE = 3;
const MTIME = 5;
const CTIME = 8;

const TYPE_MASK = 0o170000;
const TYPE_BITS: Record<FsEntry['type'], number> = {
  file: 0o100000,
  directory: 0o040000,
  symlink: 0o120000,
  other: 0,
};

export function typeOf(stats: Uint32Array, at: number): FsEntry['type'] {
  switch (stats[at]! & TYPE_MASK) {
    case TYPE_BITS.file:
      return 'file';
    case TYPE_BITS.directory:
      return 'directory';
    case TYPE_BITS.symlink:
      return 'symlink';
    default:
      return 'other';
  }
}

/** Permission bits, including set-user-id, set-group-id and sticky. */
export function modeOf(stats: Uint32Array, at: number): number {
  return stats[at]! & 0o7777;
}

export function sizeOf(stats: Uint32Array, at: number): number {
  return stats[at + SIZE]! + stats[at + SIZE + 1]! * 2 ** 32;
}

export function setSize(stats: Uint32Array, at: number, size: number): void {
  stats[at + SIZE] = size % 2 ** 32;
  stats[at + SIZE + 1] = Math.floor(size / 2 ** 32);
}

export function inodeOf(stats: Uint32Array, at: number): string {
  const high = stats[at + INODE + 1]!;
  if (high === 0) return String(stats[at + INODE]);
  return String((BigInt(high) << 32n) | BigInt(stats[at + INODE]!));
}

export function sameInode(a: Uint32Array, b: Uint32Array): boolean {
  return a[INODE] === b[INODE] && a[INODE + 1] === b[INODE + 1];
}

/** Nanoseconds since the epoch as decimal digits; a double would lose the last ones. */
export function mtimeOf(stats: Uint32Array, at: number): string {
  const seconds = secondsOf(stats, at + MTIME);
  const nanoseconds = stats[at + MTIME + 2]!;
  if (seconds > 0) return `${seconds}${String(nanoseconds).padStart(9, '0')}`;
  return String(BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds));
}

/** When the file last changed in any way, in milliseconds; mtime can be set freely, ctime cannot. */
export function newestTimeOf(stats: Uint32Array, at: number): number {
  return Math.max(millisecondsOf(stats, at + MTIME), millisecondsOf(stats, at + CTIME));
}

function millisecondsOf(stats: Uint32Array, at: number): number {
  return secondsOf(stats, at) * 1_000 + stats[at + 2]! / 1_000_000;
}

function secondsOf(stats: Uint32Array, at: number): number {
  return (stats[at + 1]! | 0) * 2 ** 32 + stats[at]!;
}

/** The words of an entry read from a file. It has no ctime, so it never equals the state of a file on disk. */
export function putEntry(stats: Uint32Array, at: number, entry: FsEntry): void {
  stats[at] = TYPE_BITS[entry.type] | (entry.mode & 0o7777);
  putUnsigned(stats, at + INODE, BigInt(entry.inode ?? 0));
  putUnsigned(stats, at + SIZE, BigInt(entry.size));
  const mtime = BigInt(entry.mtime_ns);
  const nanoseconds = ((mtime % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  putUnsigned(stats, at + MTIME, (mtime - nanoseconds) / 1_000_000_000n);
  stats[at + MTIME + 2] = Number(nanoseconds);
}

function putUnsigned(stats: Uint32Array, at: number, value: bigint): void {
  stats[at] = Number(BigInt.asUintN(32, value));
  stats[at + 1] = Number(BigInt.asUintN(32, value >> 32n));
}
