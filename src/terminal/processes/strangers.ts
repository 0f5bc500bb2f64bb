import fs from 'node:fs';
import { type ProcessStat, readProcessStat } from '../../files/index.ts';
import { listPids } from './proc.ts';

/** A process that does not come from us. It never will: only the children of our descendants are given to us. */
interface Stranger {
  /** Of its folder in /proc, which is made anew for another process with its pid. */
  inode: number;
  startTime: number;
}

let strangers = new Map<number, Stranger>();

/**
 * Every process that may be of a tree: not one that began before its leader and does not come from us. Those are most of
 * a machine, and they are recognised without reading what they do now, which takes far longer.
 */
export function listCandidates(leaderStartTime: string): ProcessStat[] {
  const begun = Number(leaderStartTime);
  const found = new Map<number, ProcessStat>();
  const inodes = new Map<number, number>();
  const still = new Map<number, Stranger>();
  for (const pid of listPids()) {
    // Before the process is read: what one was must not be kept for the folder of another that has got its pid.
    const inode = inodeOf(pid);
    const stranger = strangers.get(pid);
    if (stranger?.inode === inode) {
      still.set(pid, stranger);
      if (stranger.startTime < begun) continue;
    }
    const process = readProcessStat(pid);
    if (!process) continue;
    found.set(pid, process);
    inodes.set(pid, inode);
  }
  for (const [pid, { startTime }] of found) {
    if (isStranger(pid, found, still)) still.set(pid, { inode: inodes.get(pid)!, startTime: Number(startTime) });
  }
  strangers = still;
  return [...found.values()];
}

/** False where it cannot be told, because a process in between is gone. */
function isStranger(pid: number, found: Map<number, ProcessStat>, known: Map<number, Stranger>): boolean {
  for (let at = pid; at !== 0; ) {
    if (known.has(at)) return true;
    const parent = at === process.pid ? undefined : found.get(at)?.parent;
    if (parent === undefined) return false;
    at = parent;
  }
  return true;
}

/** NaN, which is no other's, when it cannot be told. */
function inodeOf(pid: number): number {
  try {
    return fs.statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino ?? Number.NaN;
  } catch {
    return Number.NaN;
  }
}
