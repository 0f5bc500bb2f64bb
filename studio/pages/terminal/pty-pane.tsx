import '../../panes/terminal/terminal.css';
import { useRef, useState } from 'react';
import { byteSize } from '../../model/bytes/byte-size.ts';
import { LinkAddress, ScreenTools } from '../../panes/terminal/screen-tools.tsx';
import { TerminalFind } from '../../panes/terminal/terminal-find.tsx';
import { useTerminalPlace } from '../../panes/terminal/use-terminal-place.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';
import { useText } from '../../text/language.ts';
import { terminals as terminalTexts } from '../../text/sections/terminals.ts';
import { strings } from '../../text/strings.ts';
import { TakeOver } from './take-over.tsx';
import { useIsLive } from './use-is-live.ts';
import { useLiveScreen } from './use-live-screen.ts';

/** The screen of a session in the session's own size: watching changes nothing. */
export function PtyPane({ session }: { session: TerminalSession }) {
  const text = useText();
  const place = useRef<HTMLDivElement>(null);
  const screen = useLiveScreen(session, place);
  const isLive = useIsLive(session);
  const [isFinding, setFinding] = useState(false);
  useTerminalPlace(screen, place);
  useAction('search', () => setFinding(true));
  useAction('escape', () => isFinding && setFinding(false));
  return (
    <Pane name="terminal" title={text(strings.tabs.terminal)} tools={screen && <ScreenTools screen={screen} />}>
      <div className="terminal">
        {isFinding && screen && <TerminalFind screen={screen} onClose={() => setFinding(false)} />}
        <Missing session={session} isLive={isLive} />
        <div ref={place} className="terminal-place" />
        {screen && <LinkAddress screen={screen} />}
        {screen && isLive && <TakeOver session={session} screen={screen} />}
      </div>
    </Pane>
  );
}

function Missing({ session, isLive }: { session: TerminalSession; isLive: boolean }) {
  const text = useText();
  const bytes = useStore(session.missing);
  if (bytes === 0) return null;
  return (
    <p className="terminal-note small" role="status">
      {text(terminalTexts.missing)(byteSize(bytes))}{' '}
      {isLive && (
        <button type="button" onClick={() => session.redraw()}>
          {text(terminalTexts.redraw)}
        </button>
      )}
    </p>
  );
}
