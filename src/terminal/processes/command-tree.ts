import type { ProcessStat } from '../../files/index.ts';
import { descendants, type Foreign, members, type TreeIdentity } from './process-tree.ts';

/**
 * Which processes of a shell belong to its current command: those that did not exist when it began, and do not descend
 * from one that did. Background processes of earlier commands are not ended with the command.
 */
export type Earlier = ReadonlySet<string>;

/**
 * The processes of a shell, found cheaply: its descendants, and orphans that we adopted. For the beginning and end of
 * every command, where scanning all processes of the machine would cost more than the command.
 */
export function listShellProcesses(tree: TreeIdentity): Earlier {
  const inShell = shellOf(tree);
  return new Set(
    descendants(tree)
      .filter(({ pid }) => !inShell.includes(pid))
      .map(name),
  );
}

function shellOf({ leader, shell }: TreeIdentity): readonly number[] {
  return shell ?? [leader];
}

/** Whether there are processes now that did not exist earlier. */
export function leftMore(tree: TreeIdentity, earlier: Earlier): boolean {
  for (const process of listShellProcesses(tree)) if (!earlier.has(process)) return true;
  return false;
}

/** All live processes of the command, wherever they moved. */
export function commandProcesses(tree: TreeIdentity, earlier: Earlier, foreign?: Foreign): ProcessStat[] {
  const all = new Map(members(tree, foreign).map((process) => [process.pid, process]));
  const isEarlier = (process: ProcessStat | undefined): boolean =>
    process !== undefined && (earlier.has(name(process)) || isEarlier(all.get(process.parent)));
  const inShell = shellOf(tree);
  return [...all.values()].filter((process) => !inShell.includes(process.pid) && !isEarlier(process));
}

function name({ pid, startTime }: ProcessStat): string {
  return `${pid} ${startTime}`;
}
