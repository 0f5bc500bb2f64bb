import '../../parts/layout/status-line.css';
import { howEnded } from '../../parts/terminal-mark.tsx';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';
import { KeysButton } from '../run/keys-button.tsx';

/** The state of the connection; for an ended session, how and why it ended. */
export function TerminalStatus({ session }: { session: TerminalSession }) {
  const text = useText();
  const connection = useStore(session.connection);
  const terminal = useStore(session.terminal);
  return (
    <footer className="status-line small quiet">
      {connection.phase === 'reconnecting' ? (
        <span title={connection.message}>{text(strings.run.disconnected)}</span>
      ) : (
        <span>{text(wordOf(connection.phase))}</span>
      )}
      {terminal?.end && <span>{howEnded(terminal.end, text, { why: true })}</span>}
      {terminal && <span className="bytes">{terminal.session_id}</span>}
      <KeysButton />
    </footer>
  );
}

function wordOf(phase: 'loading' | 'live' | 'ended' | 'failed'): readonly [string, string] {
  switch (phase) {
    case 'loading':
      return strings.app.loading;
    case 'live':
      return terminalTexts.connected;
    case 'ended':
      return terminalTexts.ended;
    case 'failed':
      return strings.run.disconnected;
  }
}
