import fs from 'node:fs';
import { followedAs, openat2, RESOLVE_BENEATH, RESOLVE_NO_MAGICLINKS } from './openat2.ts';

/** A place in the file system, found but not opened: it can be looked at, and opened through `/proc/self/fd`. */
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const { O_NOFOLLOW } = fs.constants;
const BENEATH = followedAs(O_PATH | O_CLOEXEC, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS);
/** A path with `..` fails with EAGAIN when anything on the machine is renamed meanwhile. */
const MAX_TRIES = 100;
/** As many as the kernel follows. */
const MAX_LINKS = 40;

/**
 * Resolves a name below a folder with all links, and returns a descriptor of what it found, which the caller
 * closes. The name never leads out of the folder, whatever is renamed or linked meanwhile: that fails with EXDEV. Nothing
 * is opened, waited for or created. `folder` is a descriptor.
 */
export function openBeneath(folder: number, name: string): number {
  // The C library would take what comes before it as the name.
  if (name.includes('\0')) throw failure('EINVAL', name);
  if (hasOpenat2) {
    const fd = findBeneath(folder, name);
    if (fd !== null) return fd;
    hasOpenat2 = false;
  }
  return walkBeneath(folder, name);
}

/** A path to an open descriptor, or to a name in the open folder, that is not resolved again. */
export function descriptorPath(fd: number, name?: string): string {
  return name === undefined ? `/proc/self/fd/${fd}` : `/proc/self/fd/${fd}/${name}`;
}

let hasOpenat2 = true;

/** Null where the kernel does not have the call. */
function findBeneath(folder: number, name: string): number | null {
  for (let tries = 0; ; tries++) {
    const found = openat2(folder, name === '' ? '.' : name, BENEATH);
    if (typeof found === 'number') return found;
    if (found === 'ENOSYS' || found === 'EPERM') return null;
    if ((found !== 'EAGAIN' && found !== 'EINTR') || tries === MAX_TRIES) throw failure(found, name);
  }
}

/** The same in user space: one name at a time, each in the folder that was found before, links by hand. */
export function walkBeneath(folder: number, name: string): number {
  const found: number[] = [];
  const here = () => found.at(-1) ?? folder;
  const left = partsOf(name);
  let links = 0;
  try {
    while (left.length > 0) {
      const part = left.shift()!;
      if (part === '..') {
        if (found.length === 0) throw failure('EXDEV', name);
        if (!fs.fstatSync(here()).isDirectory()) throw failure('ENOTDIR', name);
        fs.closeSync(found.pop()!);
        continue;
      }
      const place = descriptorPath(here(), part);
      const fd = fs.openSync(place, O_PATH | O_NOFOLLOW);
      found.push(fd);
      if (!fs.fstatSync(fd).isSymbolicLink()) continue;
      fs.closeSync(found.pop()!);
      if (++links > MAX_LINKS) throw failure('ELOOP', name);
      // It may have changed since; whatever it says now is followed as carefully.
      const target = fs.readlinkSync(place);
      if (target.startsWith('/')) throw failure('EXDEV', name);
      left.unshift(...partsOf(target));
    }
    // A separate descriptor, even for the folder itself.
    return fs.openSync(descriptorPath(here()), O_PATH);
  } finally {
    for (const fd of found) fs.closeSync(fd);
  }
}

function partsOf(name: string): string[] {
  if (name.startsWith('/')) throw failure('EXDEV', name);
  return name.split('/').filter((part) => part !== '' && part !== '.');
}

function failure(code: string, name: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${name}`), { code });
}
