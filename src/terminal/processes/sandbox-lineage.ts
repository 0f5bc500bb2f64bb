import fs from 'node:fs';
import { isRunning } from '../../files/index.ts';
import { listChildren } from './proc.ts';
import type { TreeIdentity } from './process-tree.ts';

/** The process that holds a sandbox, the first process inside, and the program; as far as they exist. */
export function sandboxLineage(pid: number): number[] {
  const [inside] = listChildren(pid);
  if (inside === undefined) return [pid];
  const [program] = listChildren(inside);
  return program === undefined ? [pid, inside] : [pid, inside, program];
}

/**
 * How to end a tree whose leader holds a sandbox. The holder exits after the program in it; if it is ended earlier, the
 * program's status is lost. While the sandbox is being set up, signals have no effect inside.
 */
export function heldInSandbox(leader: () => number): Pick<TreeIdentity, 'spare' | 'hasBegun'> {
  return { spare: leader, hasBegun: () => hasBegun(leader()) };
}

/** The program is running once its command line differs from that of the process that execs it. */
function hasBegun(holder: number): boolean {
  if (!isRunning({ pid: holder })) return true;
  const [, inside, program] = sandboxLineage(holder);
  if (inside === undefined || program === undefined) return false;
  const words = commandLine(program);
  return words !== '' && words !== commandLine(inside);
}

/** Empty during an exec, and if the process is gone. */
function commandLine(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
