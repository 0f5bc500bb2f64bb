import './terminal.css';
import { useRef, useState } from 'react';
import { Pane } from '../../parts/layout/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { useModel } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Keystrokes } from './keystrokes.tsx';
import { LiveTools, useIsLive } from './live-tools.tsx';
import { PlaybackTools } from './playback-tools.tsx';
import { LinkAddress, ScreenTools } from './screen-tools.tsx';
import { TerminalFind } from './terminal-find.tsx';
import type { TerminalScreen } from './terminal-screen.ts';
import { type Shown, useScreen } from './use-screen.ts';
import { useStopFollowing } from './use-stop-following.ts';
import { useTerminalPlace } from './use-terminal-place.ts';

/** The terminal at the time of the playhead. */
export function TerminalPane() {
  const text = useText();
  const place = useRef<HTMLDivElement>(null);
  const { screen, shown } = useScreen(place);
  // While a program runs, its terminal stays even if nothing is recorded yet: a hidden one could not be typed into.
  const isLive = useIsLive();
  const { attempts } = useModel();
  const isEmpty = !isLive && (shown.kind === 'none' || shown.kind === 'failed');
  const [typed, setTyped] = useState(false);
  const [finding, setFinding] = useState(false);
  useAction('stdin', () => setTyped(!typed));
  useAction('search', () => setFinding(true), 'terminal');
  useAction('escape', () => finding && setFinding(false), 'terminal');
  useStopFollowing(screen, place);
  useTerminalPlace(screen, place);

  const tools = (
    <>
      <PlaybackTools />
      <button
        type="button"
        className="plain toggle"
        aria-pressed={typed}
        aria-label={text(strings.keyboard.stdin)}
        title={`${text(strings.keyboard.stdin)} (i)`}
        onClick={() => setTyped(!typed)}
      >
        ⌨
      </button>
      {screen && <Approximate screen={screen} />}
      {screen && <ScreenTools screen={screen} />}
    </>
  );
  return (
    <Pane name="terminal" title={text(strings.tabs.terminal)} tools={tools}>
      <div className="terminal">
        {finding && screen && <TerminalFind screen={screen} onClose={() => setFinding(false)} />}
        {!(isLive && shown.kind === 'none' && shown.attempt === attempts.at(-1)?.number) && <Notice shown={shown} />}
        {/* The place is there from the beginning: letters are measured in it. */}
        <div ref={place} className="terminal-place" data-hidden={isEmpty} />
        {screen && <LinkAddress screen={screen} />}
        {typed && shown.kind === 'playing' && <Keystrokes attempt={shown.attempt} />}
        {screen && <LiveTools screen={screen} />}
      </div>
    </Pane>
  );
}

function Notice({ shown }: { shown: Shown }) {
  const text = useText();
  const { none, noTiming, failed } = strings.terminal;
  switch (shown.kind) {
    case 'none':
      return <p className="notice">{text(none)(shown.attempt)}</p>;
    case 'final':
      return <p className="terminal-note small quiet">{text(noTiming)}</p>;
    case 'failed':
      return <p className="notice">{text(failed)(shown.message)}</p>;
    case 'loading':
    case 'playing':
      return null;
  }
}

function Approximate({ screen }: { screen: TerminalScreen }) {
  const text = useText();
  const isApproximate = useStore(screen.approximate);
  if (!isApproximate) return null;
  return (
    <span className="small quiet" title={text(strings.terminal.approximateWhy)}>
      {text(strings.terminal.approximate)}
    </span>
  );
}
