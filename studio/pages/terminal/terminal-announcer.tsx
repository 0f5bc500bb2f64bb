import { useEffect, useRef, useState } from 'react';
import { howEnded } from '../../parts/terminal-mark.tsx';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';

/** Announces to screen readers, at once, that the session has ended; otherwise its state and the connection. */
export function TerminalAnnouncer({ session }: { session: TerminalSession }) {
  const text = useText();
  const terminal = useStore(session.terminal);
  const isLost = useStore(session.connection, ({ phase }) => phase === 'reconnecting');
  const state = terminal?.state ?? null;
  const isNew = useIsNew(state);
  const how = terminal === null ? null : howEnded(terminal.end, text);
  return (
    <>
      <p className="heard" role="alert">
        {isNew && how !== null && text(terminalTexts.nowEnded)(how)}
      </p>
      <p className="heard" aria-live="polite">
        {isLost
          ? text(terminalTexts.reconnecting)
          : isNew && state !== null && how === null && text(terminalTexts.states[state])}
      </p>
    </>
  );
}

/** Whether the state changed since the page was opened; the first state is not announced. */
function useIsNew(state: string | null): boolean {
  const first = useRef<string | null>(null);
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    if (state === null) return;
    first.current ??= state;
    if (first.current !== state) setNew(true);
  }, [state]);
  return isNew;
}
