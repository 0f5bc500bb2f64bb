import type { ChildProcess } from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import { becomeSubreaper, closeInheritedOnExec, reap } from './libc.ts';
import { listOwnChildren, readProcessStat } from './proc.ts';

/**
 * As subreaper we inherit the orphans of everything we run, so that a child which called setsid cannot escape. Node
 * never collects such adopted children, and `waitpid(-1)` would steal the exit codes Node waits for; so we collect
 * exactly the zombies that are not Node's.
 */

/** Every child Node started and has not seen the end of, whoever started it in this process. */
const nodeChildren = new Set<ChildProcess>();
let adopting = false;

/** Idempotent; called before the first spawn. */
export function adoptOrphans(): void {
  if (adopting) return;
  adopting = true;
  closeInheritedOnExec();
  diagnostics.subscribe('child_process', (message) => {
    const child = (message as { process: ChildProcess }).process;
    nodeChildren.add(child);
    child.once('exit', () => nodeChildren.delete(child));
    child.once('error', () => child.pid === undefined && nodeChildren.delete(child));
  });
  becomeSubreaper();
  process.on('SIGCHLD', reapAdopted);
}

/** Children of ours that Node does not know: orphans of something we ran. Dead ones are collected on the way. */
export function adoptedChildren(): number[] {
  const known = new Set<number | undefined>();
  for (const child of nodeChildren) known.add(child.pid);
  const alive: number[] = [];
  for (const pid of listOwnChildren()) {
    if (known.has(pid)) continue;
    if (readProcessStat(pid)?.state === 'Z') reap(pid);
    else alive.push(pid);
  }
  return alive;
}

function reapAdopted(): void {
  adoptedChildren();
}
