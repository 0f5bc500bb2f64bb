import './terminal.css';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Pane } from '../../parts/pane.tsx';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Keystrokes } from './keystrokes.tsx';
import { LiveTools } from './live-tools.tsx';
import { PlaybackTools } from './playback-tools.tsx';
import { TerminalFind } from './terminal-find.tsx';
import type { TerminalScreen } from './terminal-screen.ts';
import { type Shown, useScreen } from './use-screen.ts';
import { useStopFollowing } from './use-stop-following.ts';

const ACTUAL_SIZE_KEY = 'tacho.terminal-actual-size';

/** The terminal as it was at the playhead. */
export function TerminalPane() {
  const text = useText();
  const place = useRef<HTMLDivElement>(null);
  const { screen, shown } = useScreen(place);
  const [typed, setTyped] = useState(false);
  const [finding, setFinding] = useState(false);
  useAction('stdin', () => setTyped(!typed));
  useAction('search', () => setFinding(true), 'terminal');
  useAction('escape', () => finding && setFinding(false), 'terminal');
  useStopFollowing(screen, place);
  useCopy(screen, place);
  useFocusOfPane(place);

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
      {screen && <ScreenTools screen={screen} />}
    </>
  );
  return (
    <Pane name="terminal" title={text(strings.tabs.terminal)} tools={tools}>
      <div className="terminal">
        {finding && screen && <TerminalFind screen={screen} onClose={() => setFinding(false)} />}
        <Notice shown={shown} />
        {/* The place is there from the beginning: letters are measured in it. */}
        <div ref={place} className="terminal-place" data-hidden={shown.kind === 'none' || shown.kind === 'failed'} />
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

function ScreenTools({ screen }: { screen: TerminalScreen }) {
  const text = useText();
  const [actual, setActual] = useState(() => localStorage.getItem(ACTUAL_SIZE_KEY) === 'on');
  const [reader, setReader] = useState(false);
  const approximate = useStore(screen.approximate);
  useEffect(() => {
    localStorage.setItem(ACTUAL_SIZE_KEY, actual ? 'on' : 'off');
    screen.setActualSize(actual);
  }, [screen, actual]);
  useEffect(() => screen.setReaderMode(reader), [screen, reader]);
  const { actualSize, actualSizeWhy, reader: readerWord, readerWhy, approximateWhy } = strings.terminal;
  return (
    <>
      {approximate && (
        <span className="small quiet" title={text(approximateWhy)}>
          {text(strings.terminal.approximate)}
        </span>
      )}
      <button
        type="button"
        className="plain toggle"
        aria-pressed={actual}
        title={text(actualSizeWhy)}
        onClick={() => setActual(!actual)}
      >
        {text(actualSize)}
      </button>
      <button
        type="button"
        className="plain toggle"
        aria-pressed={reader}
        title={text(readerWhy)}
        onClick={() => setReader(!reader)}
      >
        {text(readerWord)}
      </button>
    </>
  );
}

function LinkAddress({ screen }: { screen: TerminalScreen }) {
  const text = useText();
  const address = useStore(screen.link);
  return address === null ? null : <p className="terminal-link bytes small">{text(strings.terminal.link)(address)}</p>;
}

/** What is selected in the terminal is no selection to the browser, which would copy nothing. */
function useCopy(screen: TerminalScreen | null, place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const copy = (event: ClipboardEvent) => {
      const pane = place.current?.closest('[data-pane]');
      if (!screen?.terminal.hasSelection() || !pane?.contains(document.activeElement)) return;
      event.clipboardData?.setData('text/plain', screen.terminal.getSelection());
      event.preventDefault();
    };
    document.addEventListener('copy', copy);
    return () => document.removeEventListener('copy', copy);
  }, [screen, place]);
}

/** A click makes this the pane that has the keys; the terminal itself takes the focus only to be typed into. */
function useFocusOfPane(place: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const parent = place.current;
    const focus = () => {
      if (!parent?.contains(document.activeElement)) {
        parent?.closest<HTMLElement>('[data-pane]')?.focus({ preventScroll: true });
      }
    };
    parent?.addEventListener('pointerdown', focus);
    return () => parent?.removeEventListener('pointerdown', focus);
  }, [place]);
}
