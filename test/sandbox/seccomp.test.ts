import { expect, test } from 'vitest';
import { seccompFilter } from '../../src/sandbox/seccomp.ts';

const MACHINES = { x64: 0xc000003e, arm64: 0xc00000b7 };
const ALLOWED = 0x7fff0000;
const REFUSED = 0x00050001;
const MISSING = 0x00050026;

interface SystemCall {
  number: number;
  machine?: number;
  arguments?: (number | bigint)[];
}

/** The decision of the kernel for a call, by running the filter. */
function judge(kind: 'x64' | 'arm64', call: SystemCall): number {
  const filter = seccompFilter(kind)!;
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.machine ?? MACHINES[kind], 4);
  for (const [index, value] of (call.arguments ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at < filter.length / 8; at++) {
    const [code, value] = [filter.readUInt16LE(at * 8), filter.readUInt32LE(at * 8 + 4)];
    const jump = (holds: boolean) => filter.readUInt8(at * 8 + (holds ? 2 : 3));
    if (code === 0x20) loaded = data.readUInt32LE(value);
    else if (code === 0x15) at += jump(loaded === value);
    else if (code === 0x35) at += jump(loaded >= value);
    else if (code === 0x45) at += jump((loaded & value) !== 0);
    else if (code === 0x06) return value;
    else throw new Error(`instruction ${code}`);
  }
  throw new Error('the filter has no end');
}

test.each([
  ['x64', { ioctl: 16, clone: 56, openat: 257, read: 0, mount: 165, keyctl: 250, socket: 41 }],
  ['arm64', { ioctl: 29, clone: 220, openat: 56, read: 63, mount: 40, keyctl: 219, socket: 198 }],
] as const)('on %s, escapes are refused and ordinary calls are not', (kind, numbers) => {
  const given = (number: number, ...words: (number | bigint)[]) => judge(kind, { number, arguments: words });
  // TIOCSTI, also with bits that the kernel ignores; TIOCLINUX. TIOCGWINSZ, TIOCSPGRP, TIOCSCTTY.
  for (const request of [0x5412, 0xffffffff00005412n, 0x541c]) expect(given(numbers.ioctl, 0, request)).toBe(REFUSED);
  for (const request of [0x5413, 0x5410, 0x540e]) expect(given(numbers.ioctl, 0, request)).toBe(ALLOWED);
  // AF_VSOCK; AF_UNIX, AF_INET, AF_NETLINK.
  expect(given(numbers.socket, 40)).toBe(REFUSED);
  for (const domain of [1, 2, 16]) expect(given(numbers.socket, domain)).toBe(ALLOWED);
  expect(given(numbers.clone, 0x10000000 | 17)).toBe(REFUSED);
  expect(given(numbers.clone, 0x01200011)).toBe(ALLOWED);
  expect(given(numbers.openat, 0, 0, 0o101, 0o4755)).toBe(REFUSED);
  expect(given(numbers.openat, 0, 0, 0o101, 0o2755)).toBe(ALLOWED);
  expect([given(numbers.mount), given(numbers.keyctl), given(numbers.read)]).toEqual([REFUSED, REFUSED, ALLOWED]);
  for (const number of [435, 437, 425]) expect(given(number)).toBe(MISSING);
});

test('calls of another architecture are missing, whatever their number', () => {
  const I386 = 0x40000003;
  for (const number of [0, 16, 54]) expect(judge('x64', { number, machine: I386 })).toBe(MISSING);
  expect(judge('x64', { number: 0x40000000 + 16, arguments: [0, 0x5412] })).toBe(MISSING);
  expect(judge('arm64', { number: 63, machine: MACHINES.x64 })).toBe(MISSING);
});

test('there is no filter for an unknown architecture', () => {
  expect(seccompFilter('riscv64')).toBe(null);
});
