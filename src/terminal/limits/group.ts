import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** One control group: a folder in a hierarchy, whose files are its settings and counters. */
export interface Group {
  version: 1 | 2;
  folder: string;
}

const REMOVE_ROUNDS = 600;
const REMOVE_EVERY_MS = 5;

export function setValue({ folder }: Group, file: string, value: string | number): void {
  // Opened as it is: a file that is not there is a setting this kernel does not have, not one to be made.
  fs.writeFileSync(path.join(folder, file), String(value), { flag: 'r+' });
}

/** The text of a setting or counter; null when there is none. */
export function readValue({ folder }: Group, file: string): string | null {
  try {
    return fs.readFileSync(path.join(folder, file), 'utf8').trim();
  } catch {
    return null;
  }
}

/** A counter out of lines of a name and a number; with no name, the file's only number. */
export function readCounter(group: Group, file: string, name?: string): number | null {
  const text = readValue(group, file);
  if (text === null) return null;
  const value = name === undefined ? text : new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return value === undefined || !/^\d+$/.test(value) ? null : Number(value);
}

export function processesIn(group: Group): number[] {
  const pids = (readValue(group, 'cgroup.procs') ?? '').split('\n').map(Number);
  // A process of another pid namespace is shown as 0, which for a signal would mean all of ours.
  return pids.filter((pid) => pid > 0);
}

/** Ends every process of the group at once, whatever it did to get away. */
export function killGroup(group: Group): void {
  if (group.version === 2) {
    try {
      setValue(group, 'cgroup.kill', 1);
      return;
    } catch {
      // Older than Linux 5.14, or gone.
    }
  }
  for (const pid of processesIn(group)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone meanwhile.
    }
  }
}

/** Removes the group, and kills what is still in it. False when it would not go. */
export async function removeGroup(group: Group): Promise<boolean> {
  for (let round = 0; round < REMOVE_ROUNDS; round++) {
    try {
      fs.rmdirSync(group.folder);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    }
    // A dead process counts until it has been collected; one that forks needs killing more than once.
    killGroup(group);
    await pause(REMOVE_EVERY_MS);
  }
  return false;
}
