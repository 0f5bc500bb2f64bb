import fs from 'node:fs';
import { type ProcessStat, readProcessStat } from '../../files/index.ts';

/** The working folder of a process; null if unknown. */
export function readCwd(pid: number): string | null {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return null;
  }
}

export function listPids(): number[] {
  const found: number[] = [];
  for (const name of fs.readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first >= 48 && first <= 57) found.push(Number(name));
  }
  return found;
}

export function listProcesses(): ProcessStat[] {
  const found: ProcessStat[] = [];
  for (const pid of listPids()) {
    const stat = readProcessStat(pid);
    if (stat) found.push(stat);
  }
  return found;
}

/**
 * Whether the process was started with `NAME=value` in its environment. `unknown` if that is unreadable: it was
 * cleared, it belongs to another user, or the process is in the middle of an exec.
 */
export function hasEnvironmentEntry(pid: number, entry: string): boolean | 'unknown' {
  let environ: Buffer;
  try {
    environ = fs.readFileSync(`/proc/${pid}/environ`);
  } catch {
    return 'unknown';
  }
  if (environ.length === 0) return 'unknown';
  const at = environ.indexOf(`${entry}\0`);
  return at === 0 || (at > 0 && environ[at - 1] === 0);
}

/** Our direct children: those we spawned and those we adopted as subreaper. */
export function listOwnChildren(): number[] {
  return listChildren('self');
}

/** Direct children of a process; none if it is gone. */
export function listChildren(pid: number | 'self'): number[] {
  const children: number[] = [];
  for (const task of listTasks(pid)) {
    let text: string;
    try {
      text = fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1');
    } catch {
      continue; // The thread has ended; its children moved to another one.
    }
    for (const child of text.split(' ')) if (child) children.push(Number(child));
  }
  return children;
}

function listTasks(pid: number | 'self'): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
