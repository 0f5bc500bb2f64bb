import type { ProcessStat } from '../../files/index.ts';
import { descendants, type Foreign, members, type TreeIdentity } from './process-tree.ts';

/**
 * Which processes of a shell belong to the command it runs now: those that were not there when it began, and do not come
 * from one that was. What earlier commands left in the background is not the command's to end.
 */
export type Earlier = ReadonlySet<string>;

/**
 * The processes of a shell, cheaply: by who is whose child, and those we adopted. For the beginning and the end of every
 * command, where a look at all processes of the machine would cost more than the command.
 */
export function lookAtShell(tree: TreeIdentity): Earlier {
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

/** Whether there are processes now that were not there earlier. */
export function leftMore(tree: TreeIdentity, earlier: Earlier): boolean {
  for (const process of lookAtShell(tree)) if (!earlier.has(process)) return true;
  return false;
}

/** Every live process of the command, wherever it went. */
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
