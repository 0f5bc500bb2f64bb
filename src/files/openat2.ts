import { lastErrno, loadLibc } from './libc.ts';

const SYS_openat2 = 437;
export const RESOLVE_NO_MAGICLINKS = 2n;
export const RESOLVE_NO_SYMLINKS = 4n;
export const RESOLVE_BENEATH = 8n;

/** The kernel's `struct open_how`: what a file is opened for, and what its name may lead through. */
export function followedAs(flags: number, resolve: bigint): Buffer {
  const how = Buffer.alloc(24);
  how.writeBigUInt64LE(BigInt(flags), 0);
  how.writeBigUInt64LE(resolve, 16);
  return how;
}

/**
 * Opens a name below a folder, of which `folder` is a descriptor. Otherwise the error's name: ENOSYS or EPERM where the
 * kernel (before 5.6), or what filters its calls, does not have this one. The name holds no zero character.
 */
export function openat2(folder: number, name: string, how: Buffer): number | string {
  syscall ??= loadLibc().libc.func('syscall', 'long', ['long', 'int', 'str', 'void *', 'size_t']);
  const fd = Number(syscall(SYS_openat2, folder, name, how, how.length));
  return fd >= 0 ? fd : lastErrno();
}

let syscall: ((number: number, folder: number, name: string, how: Buffer, size: number) => number) | undefined;
