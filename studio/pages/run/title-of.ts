import type { RunView } from '../../../src/protocol/index.ts';

/** The first request, or the command where nobody asked for anything. */
export function titleOf(run: RunView | null): string {
  if (run === null) return '…';
  const said = (run.prompt ?? run.command.join(' ')).trim();
  return said.split('\n')[0]!.slice(0, 200) || run.handle;
}
