import type { TerminalView } from '../../protocol/index.ts';

/** What is worth telling. How much was printed, and when, is told by the output itself. */
const TOLD = [
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
  return before !== after && TOLD.some((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
