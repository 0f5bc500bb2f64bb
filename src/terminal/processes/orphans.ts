import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { type EventEmitter, errorMonitor } from 'node:events';
import { guard, isOutOfDescriptors, readProcessStat } from '../../files/index.ts';
import { becomeSubreaper, closeInheritedOnExec, reap } from '../libc.ts';
import { listOwnChildren } from './proc.ts';

/**
 * As subreaper we inherit the orphans of everything we run, so that a child which called setsid cannot escape. Node
 * never collects such adopted children, and `waitpid(-1)` would steal the exit codes Node waits for; so we collect
 * exactly the zombies that are not Node's.
 */

/** Every child Node started and has not seen the end of, whoever started it in this process. */
const nodeChildren = new Set<ChildProcess>();
/** Children from before we adopted anything, with their start times: Node's, or those of who was here before us. */
const earlierChildren = new Map<number, string>();
let adopting = false;
let collectedSoFar = 0;

/** Idempotent; called before the first spawn. */
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
    // Not a listener for `error`: an error that nobody handles must not become one that we seem to handle.
    emitter.once(errorMonitor, () => child.pid === undefined && nodeChildren.delete(child));
  });
  becomeSubreaper();
  process.on(
    'SIGCHLD',
    guard(() => void collectDead(), ignoreShortage),
  );
}

/** What could not be collected now is collected with the next one, or when the list is asked for. */
function ignoreShortage(): void {}

/** Children of ours that Node does not know and that are alive: orphans of something we ran. */
export function adoptedChildren(): number[] {
  for (;;) {
    const { alive, collected } = collectDead();
    // What died after the list was made may have left us children that are not on it.
    if (collected === 0) return alive;
  }
}

/**
 * How many orphans have died with us so far. As long as it grows, something forks and exits: each of its processes may be
 * too short-lived to be seen in a list of all processes, but every one of them is given to us. NaN when it cannot be told.
 */
export function orphansCollected(): number {
  try {
    adoptedChildren();
    return collectedSoFar;
  } catch (error) {
    if (isOutOfDescriptors(error)) return Number.NaN;
    throw error;
  }
}

/** Looks at every adopted child once and collects the dead ones. */
function collectDead(): { alive: number[]; collected: number } {
  const known = new Set<number | undefined>();
  for (const child of nodeChildren) known.add(child.pid);
  const alive: number[] = [];
  let collected = 0;
  for (const pid of listOwnChildren()) {
    if (known.has(pid)) continue;
    const process = readProcessStat(pid);
    if (!process || process.startTime === earlierChildren.get(pid)) continue;
    if (process.zombie && reap(pid)) collected++;
    else alive.push(pid);
  }
  collectedSoFar += collected;
  return { alive, collected };
}
