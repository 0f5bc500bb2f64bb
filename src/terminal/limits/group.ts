import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** One control group: a folder whose files are its settings and counters. */
export interface Group {
  version: 1 | 2;
  folder: string;
}

const REMOVE_ROUNDS = 600;
const REMOVE_INTERVAL_MS = 5;

export function setValue({ folder }: Group, file: string, value: string | number): void {
  // Never created: a missing file means that this kernel does not have the setting.
  fs.writeFileSync(path.join(folder, file), String(value), { flag: 'r+' });
}

/** The text of a setting or counter; null if it does not exist. */
export function readValue({ folder }: Group, file: string): string | null {
  try {
    return fs.readFileSync(path.join(folder, file), 'utf8').trim();
  } catch {
    return null;
  }
}

/** Reads a counter from lines of name and number; without a name, the file's only number. */
export function readCounter(group: Group, file: string, name?: string): number | null {
  const text = readValue(group, file);
  if (text === null) return null;
  const value = name === undefined ? text : new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
  return value === undefined || !/^\d+$/.test(value) ? null : Number(value);
}

export function processesIn(group: Group): number[] {
  const pids = (readValue(group, 'cgroup.procs') ?? '').split('\n').map(Number);
  // A process of another pid namespace appears as 0, which for kill() means our own process group.
  return pids.filter((pid) => pid > 0);
}

/** Kills every process of the group at once; none can escape. */
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

/** Removes the group, and kills its remaining processes. False if it could not be removed. */
export async function removeGroup(group: Group): Promise<boolean> {
  for (let round = 0; round < REMOVE_ROUNDS; round++) {
    try {
      fs.rmdirSync(group.folder);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    }
    // A dead process counts until it is reaped; a forking one has to be killed repeatedly.
    killGroup(group);
    await pause(REMOVE_INTERVAL_MS);
  }
  return false;
}
