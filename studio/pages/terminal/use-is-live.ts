import { hasEnded } from '../../model/terminals/terminal-facts.ts';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';

/** Whether the session accepts input: it is running and reachable. */
export function useIsLive({ terminal, connection }: TerminalSession): boolean {
  const isLost = useStore(connection, ({ phase }) => phase === 'failed');
  return useStore(terminal, (known) => known !== null && !hasEnded(known)) && !isLost;
}
