import fs from 'node:fs';
import { lastErrno, loadLibc } from './libc.ts';

/** A place in the file system, found but not opened: it can be looked at, and opened through `/proc/self/fd`. */
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const { O_NOFOLLOW } = fs.constants;
const SYS_openat2 = 437;
const RESOLVE_NO_MAGICLINKS = 2n;
const RESOLVE_BENEATH = 8n;
/** A path with `..` fails with EAGAIN when anything on the machine is renamed meanwhile. */
const MAX_TRIES = 100;
/** As many as the kernel follows. */
const MAX_LINKS = 40;

/**
 * Finds what a name below a folder stands for, all links followed, and returns a descriptor of it that the caller
 * closes. The name never leads out of the folder, whatever is renamed or linked meanwhile: that fails with EXDEV. Nothing
 * is opened, waited for or created. `folder` is a descriptor.
 */
export function openBeneath(folder: number, name: string): number {
  // The C library would take what comes before it as the name.
  if (name.includes('\0')) throw failure('EINVAL', name);
  if (hasOpenat2) {
    const fd = openat2(folder, name);
    if (fd !== null) return fd;
    hasOpenat2 = false;
  }
  return walkBeneath(folder, name);
}

/** The path by which a descriptor, or a name in the folder that it stands for, can be used without being looked up again. */
export function descriptorPath(fd: number, name?: string): string {
  return name === undefined ? `/proc/self/fd/${fd}` : `/proc/self/fd/${fd}/${name}`;
}

let hasOpenat2 = true;
let syscall: ((number: number, folder: number, name: string, how: Buffer, size: number) => number) | undefined;

/** Null where the kernel (before 5.6), or what filters its calls, does not have it. */
function openat2(folder: number, name: string): number | null {
  syscall ??= loadLibc().libc.func('syscall', 'long', ['long', 'int', 'str', 'void *', 'size_t']);
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(O_PATH | O_CLOEXEC), 0);
  how.writeBigUInt64LE(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS, 16);
  for (let tries = 0; ; tries++) {
    const fd = Number(syscall(SYS_openat2, folder, name === '' ? '.' : name, how, how.length));
    if (fd >= 0) return fd;
    const errno = lastErrno();
    if (errno === 'ENOSYS' || errno === 'EPERM') return null;
    if ((errno !== 'EAGAIN' && errno !== 'EINTR') || tries === MAX_TRIES) throw failure(errno, name);
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
    // A descriptor of its own, also of the folder itself.
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
