import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * System calls that a sandboxed program may not make, as a filter for the kernel (classic BPF). Calls that reach
 * outside of the sandbox, or expose the kernel needlessly, fail as if the program lacked permission; calls for which
 * programs have a fallback fail as if the kernel lacked them. Job control is allowed, and so is tracing, which is
 * limited to the sandbox's own processes.
 */
type Machine = 'x64' | 'arm64';
interface Rule {
  /** Number of the call; null if the machine does not have it. */
  call: Record<Machine, number | null>;
  /** Applies only if this argument (its low 32 bits) equals one of these values, or has one of these bits. */
  argument?: { index: number; equals?: readonly number[]; hasBits?: number };
  answer: 'EPERM' | 'ENOSYS';
}

const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 };
/** On x86-64, x32 calls, which have other numbers. */
const X32_BIT = 0x40000000;
const TERMINAL_ESCAPES = [0x5412 /* TIOCSTI */, 0x541c /* TIOCLINUX */, 0x541d /* TIOCCONS */, 0x5423 /* TIOCSETD */];
const CLONE_NEWUSER = 0x10000000;
const S_ISUID = 0o4000;
/** Sockets that no network namespace separates: to the host of a virtual machine, and to other processors. */
const OUTSIDE_NAMESPACES = [40 /* AF_VSOCK */, 42 /* AF_QIPCRTR */];

const refuse = (x64: number | null, arm64: number | null, argument?: Rule['argument']): Rule => ({
  call: { x64, arm64 },
  ...(argument ? { argument } : {}),
  answer: 'EPERM',
});
const lack = (x64: number | null, arm64: number | null = x64): Rule => ({ call: { x64, arm64 }, answer: 'ENOSYS' });

const RULES: readonly Rule[] = [
  // ioctl: injecting input into the terminal, which a reader outside would execute.
  refuse(16, 29, { index: 1, equals: TERMINAL_ESCAPES }),
  // socket
  refuse(41, 198, { index: 0, equals: OUTSIDE_NAMESPACES }),
  // unshare, clone; setns: user namespaces, in which it would regain capabilities.
  refuse(272, 97, { index: 0, hasBits: CLONE_NEWUSER }),
  refuse(56, 220, { index: 0, hasBits: CLONE_NEWUSER }),
  refuse(308, 268),
  lack(435), // clone3, whose flags are not visible to a filter
  // chmod, fchmod, fchmodat, fchmodat2, creat, open, openat, mknod, mknodat: setuid programs.
  refuse(90, null, { index: 1, hasBits: S_ISUID }),
  refuse(91, 52, { index: 1, hasBits: S_ISUID }),
  refuse(268, 53, { index: 2, hasBits: S_ISUID }),
  refuse(452, 452, { index: 2, hasBits: S_ISUID }),
  refuse(85, null, { index: 1, hasBits: S_ISUID }),
  refuse(2, null, { index: 2, hasBits: S_ISUID }),
  refuse(257, 56, { index: 3, hasBits: S_ISUID }),
  refuse(133, null, { index: 1, hasBits: S_ISUID }),
  refuse(259, 33, { index: 2, hasBits: S_ISUID }),
  lack(437), // openat2, whose mode is not visible to a filter
  // add_key, request_key, keyctl: keys of the user, which no namespace separates.
  refuse(248, 217),
  refuse(249, 218),
  refuse(250, 219),
  // mount, umount2, pivot_root, open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr.
  refuse(165, 40),
  refuse(166, 39),
  refuse(155, 41),
  ...[428, 429, 430, 431, 432, 433, 442].map((number) => refuse(number, number)),
  // open_by_handle_at: files by number, anywhere.
  refuse(304, 265),
  // userfaultfd, bpf, perf_event_open: common in attacks on the kernel.
  refuse(323, 282),
  refuse(321, 280),
  refuse(298, 241),
  lack(425), // io_uring_setup, io_uring_enter, io_uring_register: bypass filters
  lack(426),
  lack(427),
  // kexec_load, kexec_file_load, init_module, finit_module, delete_module, reboot, swapon, swapoff, acct, quotactl, syslog.
  refuse(246, 104),
  refuse(320, 294),
  refuse(175, 105),
  refuse(313, 273),
  refuse(176, 106),
  refuse(169, 142),
  refuse(167, 224),
  refuse(168, 225),
  refuse(163, 89),
  refuse(179, 60),
  refuse(103, 116),
  // settimeofday, clock_settime, vhangup; iopl, ioperm, uselib.
  refuse(164, 170),
  refuse(227, 112),
  refuse(153, 58),
  refuse(172, null),
  refuse(173, null),
  refuse(134, null),
];

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const ERRNO = { EPERM: 0x00050001, ENOSYS: 0x00050026 };
const NUMBER_OFFSET = 0;
const MACHINE_OFFSET = 4;
const argumentOffset = (index: number) => 16 + 8 * index;

interface Instruction {
  code: number;
  value: number;
  /** Number of instructions to skip if the comparison holds, and if it does not. */
  ifSo?: number;
  ifNot?: number;
}

/** The filter's bytes for this architecture; null if unknown. */
export function seccompFilter(machine: string): Buffer | null {
  if (machine !== 'x64' && machine !== 'arm64') return null;
  const instructions: Instruction[] = [
    { code: LOAD, value: MACHINE_OFFSET },
    { code: JUMP_EQUAL, value: AUDIT_ARCH[machine], ifSo: 1 },
    { code: RETURN, value: ERRNO.ENOSYS },
    { code: LOAD, value: NUMBER_OFFSET },
  ];
  if (machine === 'x64') {
    instructions.push({ code: JUMP_AT_LEAST, value: X32_BIT, ifNot: 1 }, { code: RETURN, value: ERRNO.ENOSYS });
  }
  for (const rule of RULES) {
    const number = rule.call[machine];
    if (number !== null) instructions.push(...assemble(number, rule));
  }
  instructions.push({ code: RETURN, value: ALLOW });
  return Buffer.concat(instructions.map(encode));
}

/** Expects and leaves the number of the call loaded. */
function assemble(number: number, { argument, answer }: Rule): Instruction[] {
  const end: Instruction = { code: RETURN, value: ERRNO[answer] };
  if (!argument) return [{ code: JUMP_EQUAL, value: number, ifNot: 1 }, end];
  const { index, equals = [], hasBits } = argument;
  const tests = [
    ...equals.map((value) => ({ code: JUMP_EQUAL, value })),
    ...(hasBits === undefined ? [] : [{ code: JUMP_BITS, value: hasBits }]),
  ];
  const inner: Instruction[] = [
    { code: LOAD, value: argumentOffset(index) },
    // A test that holds jumps to the end; the last one that does not hold skips it.
    ...tests.map((test, at) => ({ ...test, ifSo: tests.length - 1 - at, ifNot: at === tests.length - 1 ? 1 : 0 })),
    end,
    { code: LOAD, value: NUMBER_OFFSET },
  ];
  return [{ code: JUMP_EQUAL, value: number, ifNot: inner.length }, ...inner];
}

function encode({ code, value, ifSo = 0, ifNot = 0 }: Instruction): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifSo, 2);
  bytes.writeUInt8(ifNot, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}

let file: string | null = null;

/**
 * A path by which a child process can open the filter; null for an unknown architecture. The file itself is unlinked.
 */
export function seccompFile(): string | null {
  const filter = seccompFilter(process.arch);
  if (file !== null || filter === null) return file;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-seccomp-'));
  const named = path.join(folder, 'filter');
  const fd = fs.openSync(named, 'wx+', 0o400);
  fs.writeSync(fd, filter);
  fs.rmSync(folder, { recursive: true });
  file = `/proc/${process.pid}/fd/${fd}`;
  return file;
}
