import fs from 'node:fs';
import { type ProcessStat, readProcessStat } from '../../files/index.ts';
import { listPids } from './proc.ts';

/** A process that is not our descendant. It never becomes one: we only adopt children of our descendants. */
interface Unrelated {
  /** Inode of its folder in /proc, which changes when the pid is reused. */
  inode: number;
  startTime: number;
}

let unrelated = new Map<number, Unrelated>();

/**
 * All processes that may belong to a tree. Excludes those that began before its leader and do not descend from us: they
 * are the majority, and are recognised without reading their state, which takes far longer.
 */
export function listCandidates(leaderStartTime: string): ProcessStat[] {
  const begun = Number(leaderStartTime);
  const found = new Map<number, ProcessStat>();
  const inodes = new Map<number, number>();
  const still = new Map<number, Unrelated>();
  for (const pid of listPids()) {
    // Before the process is read: facts about one process must not be stored for another that has reused its pid.
    const inode = inodeOf(pid);
    const known = unrelated.get(pid);
    if (known?.inode === inode) {
      still.set(pid, known);
      if (known.startTime < begun) continue;
    }
    const process = readProcessStat(pid);
    if (!process) continue;
    found.set(pid, process);
    inodes.set(pid, inode);
  }
  for (const [pid, { startTime }] of found) {
    if (isUnrelated(pid, found, still)) still.set(pid, { inode: inodes.get(pid)!, startTime: Number(startTime) });
  }
  unrelated = still;
  return [...found.values()];
}

/** False if unknown, because a process in between is gone. */
function isUnrelated(pid: number, found: Map<number, ProcessStat>, known: Map<number, Unrelated>): boolean {
  for (let at = pid; at !== 0; ) {
    if (known.has(at)) return true;
    const parent = at === process.pid ? undefined : found.get(at)?.parent;
    if (parent === undefined) return false;
    at = parent;
  }
  return true;
}

/** NaN, which equals nothing, if unknown. */
function inodeOf(pid: number): number {
  try {
    return fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino ?? Number.NaN;
  } catch {
    return Number.NaN;
  }
}
