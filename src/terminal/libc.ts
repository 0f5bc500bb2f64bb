import fs from 'node:fs';
import { lastErrno, loadLibc } from '../files/index.ts';
import { TachoError } from '../protocol/index.ts';

/** The few libc calls for terminals and processes that Node does not offer. */

const { libc } = loadLibc();

const posix_openpt = libc.func('int posix_openpt(int flags)');
const ioctl = libc.func('int ioctl(int fd, unsigned long request, ...)');
const tcgetattr = libc.func('int tcgetattr(int fd, void *termios)');
const tcsetattr = libc.func('int tcsetattr(int fd, int actions, const void *termios)');
const tcflow = libc.func('int tcflow(int fd, int action)');
const prctl = libc.func('int prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d)');
const waitpid = libc.func('int waitpid(int pid, void *status, int options)');
const syscall = libc.func('long syscall(long number, ...)');
const poll = libc.func('int poll(void *fds, unsigned long count, int timeout)');
const pipe2 = libc.func('int pipe2(void *fds, int flags)');
const memfd_create = libc.func('int memfd_create(const char *name, unsigned int flags)');
const prlimit = libc.func('int prlimit64(int pid, int resource, const void *wanted, void *had)');

const O_RDWR = 0o2;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const TIOCSPTLCK = 0x40045431;
const TIOCGPTN = 0x80045430;
const TIOCGPTPEER = 0x5441;
const TIOCSWINSZ = 0x5414;
const TIOCGPGRP = 0x540f;
const TIOCSIG = 0x40045436;
const FIONREAD = 0x541b;
const TCFLSH = 0x540b;
const TCIFLUSH = 0;
const POLLIN = 1;
const POLLHUP = 16;
const TCOON = 1;
const TCSANOW = 0;
const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const SYS_close_range = 436;
const CLOSE_RANGE_CLOEXEC = 4;
const MFD_CLOEXEC = 1;
const MFD_NOEXEC_SEAL = 8;

function check(result: number, call: string): number {
  if (result >= 0) return result;
  const errno = lastErrno();
  const cause = Object.assign(new Error(`${call}: ${errno}`), { code: errno });
  throw new TachoError('TERMINAL_FAILED', `${call} failed: ${errno}`, { facts: { call, errno }, cause });
}

/** Opens the master of an unlocked pseudo-terminal, non-blocking and close-on-exec. */
export function openMaster(): { master: number; path: string } {
  const master = check(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), 'posix_openpt');
  try {
    const number = Buffer.alloc(4);
    check(ioctl(master, TIOCSPTLCK, 'void *', number), 'ioctl(TIOCSPTLCK)');
    check(ioctl(master, TIOCGPTN, 'void *', number), 'ioctl(TIOCGPTN)');
    return { master, path: `/dev/pts/${number.readUInt32LE(0)}` };
  } catch (error) {
    fs.closeSync(master);
    throw error;
  }
}

/** Opens the slave, close-on-exec, without using /dev/pts, which a container may not have. */
export function openSlave(master: number): number {
  return check(ioctl(master, TIOCGPTPEER, 'int', O_RDWR | O_NOCTTY | O_CLOEXEC), 'ioctl(TIOCGPTPEER)');
}

export function setWindowSize(fd: number, cols: number, rows: number): void {
  const size = Buffer.alloc(8);
  size.writeUInt16LE(rows, 0);
  size.writeUInt16LE(cols, 2);
  check(ioctl(fd, TIOCSWINSZ, 'void *', size), 'ioctl(TIOCSWINSZ)');
}

/** The foreground process group of a terminal, queried through its master. */
export function foregroundGroup(master: number): number {
  const group = Buffer.alloc(4);
  check(ioctl(master, TIOCGPGRP, 'void *', group), 'ioctl(TIOCGPGRP)');
  return group.readInt32LE(0);
}

/** Sends SIGINT, SIGQUIT or SIGTSTP (the kernel accepts no other) to that group, without the echo of a typed key. */
export function signalForeground(master: number, signal: number): void {
  check(ioctl(master, TIOCSIG, 'int', signal), 'ioctl(TIOCSIG)');
}

/** Opens an empty in-memory file, close-on-exec. */
export function openMemoryFile(name: string): number {
  // Some systems require that such a file is not executable; kernels before 6.3 do not know the flag.
  const sealed = memfd_create(name, MFD_CLOEXEC | MFD_NOEXEC_SEAL);
  return sealed >= 0 ? sealed : check(memfd_create(name, MFD_CLOEXEC), 'memfd_create');
}

/** Opens a pipe, close-on-exec. Node would use a socket pair, on which a program cannot open /dev/stderr. */
export function openPipe(): { read: number; write: number } {
  const ends = Buffer.alloc(8);
  check(pipe2(ends, O_CLOEXEC), 'pipe2');
  return { read: ends.readInt32LE(0), write: ends.readInt32LE(4) };
}

/** Number of bytes in a pipe that were not read yet. */
export function countUnread(fd: number): number {
  const count = Buffer.alloc(4);
  check(ioctl(fd, FIONREAD, 'void *', count), 'ioctl(FIONREAD)');
  return count.readInt32LE(0);
}

/** Whether there is unread input; includes an end of file, which FIONREAD does not. */
export function hasUnreadInput(slave: number): boolean {
  return (readyFor(slave) & POLLIN) !== 0;
}

/** Whether nothing can write to a pipe any more; what was written before may still be in it. */
export function hasNoWriter(pipe: number): boolean {
  return (readyFor(pipe) & POLLHUP) !== 0;
}

function readyFor(fd: number): number {
  const request = Buffer.alloc(8);
  request.writeInt32LE(fd, 0);
  request.writeInt16LE(POLLIN, 4);
  let ready: number;
  // Retry after a signal, such as SIGCHLD.
  do ready = poll(request, 1, 0);
  while (ready < 0 && lastErrno() === 'EINTR');
  check(ready, 'poll');
  return request.readInt16LE(6);
}

/** Discards unread input. */
export function discardInput(slave: number): void {
  check(ioctl(slave, TCFLSH, 'int', TCIFLUSH), 'ioctl(TCFLSH)');
}

/** A terminal's modes, as the kernel's `struct termios`; it begins with the four flag words. */
const TERMIOS_BYTES = 64;
const FLAG_OFFSET = { input: 0, output: 4, control: 8, local: 12 } as const;
const CONTROL_CHARACTERS_OFFSET = 17;

export interface ModeChange {
  set?: Partial<Record<keyof typeof FLAG_OFFSET, number>>;
  clear?: Partial<Record<keyof typeof FLAG_OFFSET, number>>;
}

export function readModes(fd: number): { input: number; output: number; local: number; controlCharacters: Buffer } {
  const termios = Buffer.alloc(TERMIOS_BYTES);
  check(tcgetattr(fd, termios), 'tcgetattr');
  return {
    input: termios.readUInt32LE(FLAG_OFFSET.input),
    output: termios.readUInt32LE(FLAG_OFFSET.output),
    local: termios.readUInt32LE(FLAG_OFFSET.local),
    controlCharacters: termios.subarray(CONTROL_CHARACTERS_OFFSET, CONTROL_CHARACTERS_OFFSET + 19),
  };
}

export function changeModes(fd: number, change: ModeChange): void {
  const termios = Buffer.alloc(TERMIOS_BYTES);
  check(tcgetattr(fd, termios), 'tcgetattr');
  for (const [word, offset] of Object.entries(FLAG_OFFSET) as [keyof typeof FLAG_OFFSET, number][]) {
    const flags = (termios.readUInt32LE(offset) | (change.set?.[word] ?? 0)) & ~(change.clear?.[word] ?? 0);
    termios.writeUInt32LE(flags >>> 0, offset);
  }
  check(tcsetattr(fd, TCSANOW, termios), 'tcsetattr');
}

/** Restarts output that ^S has stopped. */
export function resumeOutput(fd: number): void {
  check(tcflow(fd, TCOON), 'tcflow');
}

/** Makes orphaned descendants our children instead of init's. */
export function becomeSubreaper(): void {
  check(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 'prctl(PR_SET_CHILD_SUBREAPER)');
}

/** Reaps one dead child; true if there was one. */
export function reap(pid: number): boolean {
  return waitpid(pid, null, WNOHANG) === pid;
}

/** `hard` is the highest value that a process may set. */
export interface ResourceLimit {
  soft: number | bigint;
  hard: number | bigint;
}

/** Sets a limit of a process; pid 0 is this one. */
export function setResourceLimit(pid: number, resource: number, { soft, hard }: ResourceLimit): void {
  const limit = Buffer.alloc(16);
  limit.writeBigUInt64LE(BigInt(soft), 0);
  limit.writeBigUInt64LE(BigInt(hard), 8);
  check(prlimit(pid, resource, limit, null), 'prlimit');
}

/** A limit of a process; null if it is gone or belongs to another user. */
export function readResourceLimit(pid: number, resource: number): { soft: bigint; hard: bigint } | null {
  const limit = Buffer.alloc(16);
  if (prlimit(pid, resource, null, limit) < 0) return null;
  return { soft: limit.readBigUInt64LE(0), hard: limit.readBigUInt64LE(8) };
}

/** Marks every inherited descriptor close-on-exec, so that none leaks into a recorded program. */
export function closeInheritedOnExec(): void {
  // A kernel without it is not an error: Node's own descriptors are close-on-exec anyway.
  syscall(SYS_close_range, 'unsigned int', 3, 'unsigned int', 0xffffffff, 'unsigned int', CLOSE_RANGE_CLOEXEC);
}
