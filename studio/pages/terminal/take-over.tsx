import { useState } from 'react';
import type { LiveScreen } from '../../panes/terminal/live-screen.ts';
import { Typing } from '../../panes/terminal/typing.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';

interface Props {
  session: TerminalSession;
  screen: LiveScreen;
}

/** Watches by default. After taking over, keys go to the session, and it can be resized. */
export function TakeOver({ session, screen }: Props) {
  const text = useText();
  const { id, client } = session;
  return (
    <div className="terminal-live">
      <span className="quiet terminal-watching">{text(terminalTexts.watching)}</span>
      <Typing screen={screen} begin={terminalTexts.takeOver} send={(keys) => client.terminals.input(id, keys)}>
        <FitButton session={session} screen={screen} />
      </Typing>
    </div>
  );
}

function FitButton({ session: { id, client }, screen }: Props) {
  const text = useText();
  const [error, setError] = useState<Error | null>(null);

  async function fit() {
    const size = screen.roomySize();
    if (size === null) return;
    setError(null);
    try {
      await client.terminals.resize(id, size);
    } catch (thrown) {
      setError(thrown as Error);
    }
    screen.terminal.focus();
  }

  return (
    <>
      <Problem error={error} />
      <button type="button" title={text(terminalTexts.fitWhy)} onClick={fit}>
        {text(terminalTexts.fit)}
      </button>
    </>
  );
}
