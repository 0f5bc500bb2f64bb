import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { TachoError } from '../protocol/error-code.ts';
import type { ProcessIdentity } from '../protocol/run/run.ts';
import { isRunning, readProcessStat } from './proc-stat.ts';

/** This process, named so that a recycled pid is not mistaken for it. */
export function ownIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (identity === null) {
    throw new TachoError('PLATFORM_UNSUPPORTED', 'tacho cannot read its own entry in /proc', {
      fix: 'Mount /proc; tacho uses it to identify processes.',
    });
  }
  return identity;
}

/** A process of this machine; null when there is none with that pid, or only its zombie. */
export function identityOf(pid: number): ProcessIdentity | null {
  const found = readProcessStat(pid);
  if (found === null || found.zombie) return null;
  return { pid, start_time: found.startTime, boot_id: bootId(), host: hostname() };
}

/** True while exactly that process runs on this machine. False for a process of another host. */
export function isAlive({ pid, start_time, boot_id, host }: ProcessIdentity): boolean {
  return host === hostname() && boot_id === bootId() && isRunning({ pid, startTime: start_time });
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch (cause) {
    throw new TachoError('PLATFORM_UNSUPPORTED', 'tacho cannot read /proc/sys/kernel/random/boot_id', { cause });
  }
}
