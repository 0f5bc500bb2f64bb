import fs from 'node:fs';
import { followedAs, openat2, RESOLVE_BENEATH, RESOLVE_NO_SYMLINKS } from './openat2.ts';

const O_CLOEXEC = 0o2000000;
const { O_NONBLOCK, O_RDONLY } = fs.constants;
const UNLINKED = followedAs(O_RDONLY | O_NONBLOCK | O_CLOEXEC, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);

/**
 * Opens what is below a folder, with no link anywhere on the way: the quick way to many files of records, in one call
 * each. It never waits, but may have opened anything: read it at a position, which fails for all but files and devices.
 * Null where nothing can be opened, also where the kernel does not have the call; `openRegularFile` then says why.
 */
export function openUnlinked(folder: number, name: string): number | null {
  // The C library would take what comes before it as the name.
  if (name.includes('\0')) return null;
  const fd = openat2(folder, name, UNLINKED);
  return typeof fd === 'string' ? null : fd;
}
