import fs from 'node:fs';
import { readProcessStat } from '../../files/index.ts';
import { foregroundGroup, hasUnreadInput } from '../libc.ts';
import type { Pty } from '../pty.ts';
import { adoptedChildren } from './orphans.ts';
import { listChildren } from './proc.ts';

/**
 * What the foreground processes of a pair of terminals wait for: input from terminal B, or else from A; something that
 * /proc does not reveal, such as one of several descriptors; or no input, because they are busy.
 */
export type Awaited = 'a' | 'b' | 'unclear' | 'nothing';

/** Numbers of `read`, and of calls that wait for several descriptors (poll, select, epoll). */
const CALLS: Partial<Record<NodeJS.Architecture, { read: string; several: readonly string[] }>> = {
  x64: { read: '0', several: ['7', '23', '232', '270', '271', '281', '441'] },
  arm64: { read: '63', several: ['22', '72', '73', '441'] },
};
const DEV_TTY = 0x0500;

/** `leader` is the first process of the terminals' session. */
export function awaitedInput(a: Pty, b: Pty, leader: number): Awaited {
  // The kernel delivers input before it answers this: if none is unread, the process that waited for it has woken up.
  if (hasUnreadInput(a.slave) || hasUnreadInput(b.slave)) return 'nothing';
  const calls = CALLS[process.arch];
  const members = membersOfGroup(foregroundGroup(a.master), leader);
  if (!calls || members.length === 0) return 'unclear';
  const deviceA = fs.fstatSync(a.slave).rdev;
  const deviceB = fs.fstatSync(b.slave).rdev;
  let awaited: Awaited = 'nothing';
  for (const pid of members) {
    const [call, descriptor] = currentCall(pid);
    const device = call === calls.read ? deviceOf(pid, Number(descriptor)) : null;
    if (device === deviceB) return 'b';
    if (device === deviceA || device === DEV_TTY) awaited = 'a';
    else if (awaited === 'nothing' && (call === undefined || calls.several.includes(call))) awaited = 'unclear';
  }
  return awaited;
}

/** Processes of the group below the leader, and its orphans that we adopted. */
export function membersOfGroup(group: number, leader: number): number[] {
  const found: number[] = [];
  const pending = [leader, ...adoptedChildren()];
  for (let pid = pending.pop(); pid !== undefined; pid = pending.pop()) {
    const stat = readProcessStat(pid);
    if (stat?.processGroup === group && !stat.zombie) found.push(pid);
    pending.push(...listChildren(pid));
  }
  return found;
}

/** Number and first argument of the system call in which a process sleeps; empty if we may not read it. */
function currentCall(pid: number): string[] {
  try {
    return fs.readFileSync(`/proc/${pid}/syscall`, 'latin1').split(' ', 2);
  } catch {
    // A process that is gone waits for no input.
    return fs.existsSync(`/proc/${pid}`) ? [] : ['gone'];
  }
}

function deviceOf(pid: number, descriptor: number): number | null {
  try {
    return fs.statSync(`/proc/${pid}/fd/${descriptor}`).rdev;
  } catch {
    return null;
  }
}
