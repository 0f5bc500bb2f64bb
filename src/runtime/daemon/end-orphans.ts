import type { ProcessStat } from '../../files/index.ts';
import { carriesMark, endProcesses, listProcesses } from '../../terminal/index.ts';
import type { RegistryEntry } from './registry.ts';

const GRACE_MS = 1000;

/** Ends the processes that a killed daemon left running; returns their number. */
export async function endOrphans(entries: readonly RegistryEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  return await endProcesses(() => findOrphans(entries), GRACE_MS);
}

/**
 * Processes that certainly belong to these sessions: they have the marker of a session in their environment, or the tag
 * made from it, and a process with the pid of a session's first process also has its start time. Descendants are
 * included. A pid or a session number alone proves nothing, because both are reused.
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
