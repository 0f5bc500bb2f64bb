import fs from 'node:fs';
import { isRunning } from '../../files/index.ts';
import { listChildren } from './proc.ts';
import type { TreeIdentity } from './process-tree.ts';

/** What holds a sandbox, its first process inside, and the program it is for; as far as they are there. */
export function sandboxLineage(pid: number): number[] {
  const [inside] = listChildren(pid);
  if (inside === undefined) return [pid];
  const [program] = listChildren(inside);
  return program === undefined ? [pid, inside] : [pid, inside, program];
}

/**
 * How a tree ends whose leader holds a sandbox. The holder ends when the program in it has, and takes its status with it
 * when it ends earlier. While the sandbox is being made, nobody inside hears a signal.
 */
export function heldInSandbox(leader: () => number): Pick<TreeIdentity, 'spare' | 'hasBegun'> {
  return { spare: leader, hasBegun: () => hasBegun(leader()) };
}

/** The program runs when its words are no longer those of the process that was to become it. */
function hasBegun(holder: number): boolean {
  if (!isRunning({ pid: holder })) return true;
  const [, inside, program] = sandboxLineage(holder);
  if (inside === undefined || program === undefined) return false;
  const words = commandLine(program);
  return words !== '' && words !== commandLine(inside);
}

/** Empty in the middle of an exec, and when the process is gone. */
function commandLine(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
