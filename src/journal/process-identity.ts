import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessIdentity, TachoError } from '../protocol/index.ts';

/** This process, named so that a recycled pid is not mistaken for it. */
export function ownIdentity(): ProcessIdentity {
  const identity = identityOf(process.pid);
  if (identity === null) {
    throw new TachoError('PLATFORM_UNSUPPORTED', 'tacho cannot read its own entry in /proc', {
      fix: 'Mount /proc; tacho needs it to tell processes apart.',
    });
  }
  return identity;
}

/** A process of this machine; null when there is none of that pid, or only its zombie. */
export function identityOf(pid: number): ProcessIdentity | null {
  const startTime = startTimeOfRunning(pid);
  return startTime === null ? null : { pid, start_time: startTime, boot_id: bootId(), host: hostname() };
}

/** True while exactly that process runs on this machine. Says nothing about processes of another host: false. */
export function isAlive(identity: ProcessIdentity): boolean {
  return (
    identity.host === hostname() &&
    identity.boot_id === bootId() &&
    startTimeOfRunning(identity.pid) === identity.start_time
  );
}

function startTimeOfRunning(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // Field 2 is the command name in parentheses and may itself hold spaces and parentheses: count from the last one.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  return state === 'Z' || state === 'X' || startTime === undefined ? null : startTime;
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch (cause) {
    throw new TachoError('PLATFORM_UNSUPPORTED', 'tacho cannot read /proc/sys/kernel/random/boot_id', { cause });
  }
}
