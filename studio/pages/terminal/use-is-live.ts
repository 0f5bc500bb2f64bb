import { hasEnded } from '../../model/terminals/terminal-facts.ts';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';

/** Whether something can be done with the session: it goes on, and it is not lost to us for good. */
export function useIsLive({ terminal, connection }: TerminalSession): boolean {
  const isLost = useStore(connection, ({ phase }) => phase === 'failed');
  return useStore(terminal, (known) => known !== null && !hasEnded(known)) && !isLost;
}
