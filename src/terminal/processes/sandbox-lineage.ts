import { listChildren } from './proc.ts';

/** What holds a sandbox, its first process inside, and the program it is for; as far as they are there. */
export function sandboxLineage(pid: number): number[] {
  const [inside] = listChildren(pid);
  if (inside === undefined) return [pid];
  const [program] = listChildren(inside);
  return program === undefined ? [pid, inside] : [pid, inside, program];
}
