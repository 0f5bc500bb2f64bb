import type { ProcessStat } from '../../files/index.ts';
import { carriesMark, endProcesses, listProcesses } from '../../terminal/index.ts';
import type { RegistryEntry } from './registry.ts';

const GRACE_MS = 1000;

/** Ends what a daemon that was killed left running; the number of processes. */
export async function endOrphans(entries: readonly RegistryEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  return await endProcesses(() => findOrphans(entries), GRACE_MS);
}

/**
 * What is of these sessions beyond doubt: it carries the marker of one, a random value, in its environment, or the tag
 * made from it; and where it has the pid of the session's first process it also has its start time. And what comes from such a process. A pid or
 * a session number alone says nothing: both are given to others in time.
 */
function findOrphans(entries: readonly RegistryEntry[]): ProcessStat[] {
  const all = listProcesses().filter(({ pid, zombie }) => !zombie && pid !== process.pid);
  const found = new Map<number, ProcessStat>();
  for (const candidate of all) {
    if (entries.some((entry) => isOf(entry, candidate))) found.set(candidate.pid, candidate);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const candidate of all) {
      if (found.has(candidate.pid) || !found.has(candidate.parent)) continue;
      found.set(candidate.pid, candidate);
      grown = true;
    }
  }
  return [...found.values()];
}

function isOf({ marker, pid, start_time }: RegistryEntry, candidate: ProcessStat): boolean {
  if (candidate.pid === pid && candidate.startTime !== start_time) return false;
  return carriesMark(candidate.pid, marker) === true;
}
