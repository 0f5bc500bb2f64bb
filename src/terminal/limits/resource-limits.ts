import os from 'node:os';
import { TachoError } from '../../protocol/index.ts';
import type { SessionLimits } from '../../protocol/terminal/index.ts';
import { setResourceLimit } from '../libc.ts';

/**
 * Limits of each process, inherited by its children. Does not include the address space: programs that reserve much and
 * use little, such as Node, would not even start. Nor the number of processes, which counts everything the user runs.
 */
const RESOURCES = { cpu_seconds: 0, file_bytes: 1, open_files: 7 } as const;
/** SIGXCPU first; a process that ignores it is killed. */
const CPU_GRACE_SECONDS = 2;

export function setResourceLimits(pid: number, limits: SessionLimits): void {
  for (const [name, resource] of Object.entries(RESOURCES) as [keyof typeof RESOURCES, number][]) {
    const max = limits[name];
    if (max === undefined) continue;
    const hard = name === 'cpu_seconds' ? max + CPU_GRACE_SECONDS : max;
    setOne(name, () => setResourceLimit(pid, resource, { soft: max, hard }));
  }
  const { nice } = limits;
  if (nice !== undefined) setOne('nice', () => os.setPriority(pid, nice));
}

function setOne(name: string, set: () => void): void {
  try {
    set();
  } catch (cause) {
    const { message } = cause as Error;
    const why = message.includes('EPERM') ? `this process may not have that much itself (${message})` : message;
    throw limitUnavailable({ [name]: why }, cause);
  }
}

/** Lists each limit that cannot be enforced, and why. */
export function limitUnavailable(reasons: Record<string, string>, cause?: unknown): TachoError {
  const sentences = Object.entries(reasons).map(([name, why]) => `${name} cannot be given here: ${why}`);
  return new TachoError('LIMIT_UNAVAILABLE', sentences.join('. '), {
    facts: { limits: Object.keys(reasons), reasons },
    fix: 'Omit the limit (in the request, or under runtime: in the configuration), or run the runtime where it is available; `tacho runtime status` shows what works.',
    ...(cause === undefined ? {} : { cause }),
  });
}
