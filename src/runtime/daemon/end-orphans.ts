import type { ProcessStat } from '../../files/index.ts';
import { carriesMark, endProcesses, listProcesses } from '../../terminal/index.ts';
import type { RegistryEntry } from './registry.ts';

const GRACE_MS = 1000;

/** Ends the processes that a killed daemon left running; returns their number. */
export async function endOrphans(entries: readonly RegistryEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const foreign = new Set<string>();
  return await endProcesses(() => findOrphans(entries, foreign), GRACE_MS);
}

/**
 * Processes that certainly belong to these sessions: they have the marker of a session in their environment, or the tag
 * made from it, and a process with the pid of a session's first process also has its start time. Descendants are
 * included. A pid or a session number alone proves nothing, because both are reused. `foreign` has the processes without
 * any mark, by pid and start time: without reading them again, a search is fast enough to catch a process that forks and
 * exits repeatedly.
 */
function findOrphans(entries: readonly RegistryEntry[], foreign: Set<string>): ProcessStat[] {
  const all = listProcesses().filter(({ pid, zombie }) => !zombie && pid !== process.pid);
  const found = new Map<number, ProcessStat>();
  for (const candidate of all) {
    const name = `${candidate.pid} ${candidate.startTime}`;
    if (foreign.has(name)) continue;
    const marks = entries.map((entry) => isOf(entry, candidate));
    if (marks.includes(true)) found.set(candidate.pid, candidate);
    else if (!marks.includes('unknown')) foreign.add(name);
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

function isOf({ marker, pid, start_time }: RegistryEntry, candidate: ProcessStat): boolean | 'unknown' {
  if (candidate.pid === pid && candidate.startTime !== start_time) return false;
  return carriesMark(candidate.pid, marker);
}
