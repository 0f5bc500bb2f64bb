import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { type EventEmitter, errorMonitor } from 'node:events';
import { guard, isOutOfDescriptors, readProcessStat } from '../../files/index.ts';
import { becomeSubreaper, closeInheritedOnExec, reap } from '../libc.ts';
import { listOwnChildren } from './proc.ts';
import { liveSession, liveSessionOf } from './session-tag.ts';

/**
 * As a subreaper we inherit the orphans of everything we run, so that a child that called setsid cannot escape. Node
 * never reaps such adopted children, and `waitpid(-1)` would steal the exit codes that Node waits for; so we reap
 * exactly the zombies that are not Node's.
 */

/** Every child that Node started anywhere in this process and whose end it has not seen. */
const nodeChildren = new Set<ChildProcess>();
/** Children from before we adopted any, with their start times: Node's own, or inherited across an exec. */
const earlierChildren = new Map<number, string>();
let adopting = false;
/** Orphans we collected that carried the tag of no live session. */
let unclaimed = 0;

/** Idempotent; call before the first spawn. */
export function adoptOrphans(): void {
  if (adopting) return;
  adopting = true;
  closeInheritedOnExec();
  for (const pid of listOwnChildren()) {
    const process = readProcessStat(pid);
    if (process) earlierChildren.set(pid, process.startTime);
  }
  diagnostics.subscribe('child_process', (message) => {
    const child = (message as { process: ChildProcess }).process;
    const emitter: EventEmitter = child;
    nodeChildren.add(child);
    emitter.once('exit', () => nodeChildren.delete(child));
    // Uses errorMonitor instead of `error`, so that an unhandled error stays unhandled.
    emitter.once(errorMonitor, () => child.pid === undefined && nodeChildren.delete(child));
  });
  becomeSubreaper();
  process.on(
    'SIGCHLD',
    guard(() => void collectDead(), ignoreShortage),
  );
}

/** Zombies that could not be reaped now are reaped with the next one, or when the list is read. */
function ignoreShortage(): void {}

/** Live children that Node does not know: orphans of something we ran. */
export function adoptedChildren(): number[] {
  for (;;) {
    const { alive, collected } = collectDead();
    // A process that died after the list was made may have left us children that are not in it.
    if (collected === 0) return alive;
  }
}

/**
 * How many orphans of a session, or of an unknown one, we have reaped so far. While it grows, something forks and exits:
 * each of its processes may be too short-lived to be seen in a process list, but every one of them becomes our child.
 * NaN if unknown.
 */
export function orphansCollected(marker: string): number {
  try {
    adoptedChildren();
    return unclaimed + (liveSession(marker)?.orphansCollected ?? 0);
  } catch (error) {
    if (isOutOfDescriptors(error)) return Number.NaN;
    throw error;
  }
}

/** Checks every adopted child once and reaps the dead ones. */
function collectDead(): { alive: number[]; collected: number } {
  const known = new Set<number | undefined>();
  for (const child of nodeChildren) known.add(child.pid);
  const alive: number[] = [];
  let collected = 0;
  for (const pid of listOwnChildren()) {
    if (known.has(pid)) continue;
    const process = readProcessStat(pid);
    if (!process || process.startTime === earlierChildren.get(pid)) continue;
    const session = process.zombie ? liveSessionOf(pid) : null;
    if (!process.zombie || !reap(pid)) {
      alive.push(pid);
      continue;
    }
    collected++;
    if (session) session.orphansCollected++;
    else unclaimed++;
  }
  return { alive, collected };
}
