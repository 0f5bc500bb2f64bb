import { createRequire } from 'node:module';
import type koffi from 'koffi';
import { TachoError } from '../protocol/error-code.ts';

type Koffi = typeof koffi;

const NAMES = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

let loaded: { koffi: Koffi; libc: ReturnType<Koffi['load']> } | null = null;

/** The C library, loaded on first use: a command that makes no libc call does not pay for it. */
export function loadLibc(): { koffi: Koffi; libc: ReturnType<Koffi['load']> } {
  loaded ??= load();
  return loaded;
}

function load(): { koffi: Koffi; libc: ReturnType<Koffi['load']> } {
  const koffi = createRequire(import.meta.url)('koffi') as Koffi;
  for (const name of NAMES) {
    try {
      return { koffi, libc: koffi.load(name) };
    } catch {
      // The next name may be the one of this system.
    }
  }
  throw new TachoError('PLATFORM_UNSUPPORTED', 'the C library could not be loaded', {
    facts: { tried: NAMES, platform: process.platform },
    fix: 'tacho runs on Linux with glibc or musl.',
  });
}

/** The name of the last call's error, such as `EAGAIN`. */
export function lastErrno(): string {
  const { koffi } = loadLibc();
  const errno = koffi.errno();
  return Object.entries(koffi.os.errno).find(([, value]) => value === errno)?.[0] ?? `errno ${errno}`;
}
