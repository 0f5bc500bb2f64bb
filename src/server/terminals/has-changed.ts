import type { TerminalView } from '../../protocol/index.ts';

/** Fields whose changes are reported. The output itself shows how much was printed, and when. */
const REPORTED = [
  'state',
  'cols',
  'rows',
  'attached',
  'cwd',
  'exec_id',
  'recording',
  'exited',
  'closed',
  'end',
] as const satisfies (keyof TerminalView)[];

export function hasChanged(before: TerminalView, after: TerminalView): boolean {
  return before !== after && REPORTED.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
