import { useEffect, useState } from 'react';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { XtermScreen } from './xterm-screen.ts';

const ACTUAL_SIZE_KEY = 'tacho.terminal-actual-size';

/** Font size, and output for screen readers. */
export function ScreenTools({ screen }: { screen: XtermScreen }) {
  const text = useText();
  const [actual, setActual] = useState(() => localStorage.getItem(ACTUAL_SIZE_KEY) === 'on');
  const [reader, setReader] = useState(false);
  useEffect(() => {
    localStorage.setItem(ACTUAL_SIZE_KEY, actual ? 'on' : 'off');
    screen.setActualSize(actual);
  }, [screen, actual]);
  useEffect(() => screen.setReaderMode(reader), [screen, reader]);
  const { actualSize, actualSizeWhy, reader: readerWord, readerWhy } = strings.terminal;
  return (
    <>
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

/** The target of the link under the pointer; it is shown, not followed. */
export function LinkAddress({ screen }: { screen: XtermScreen }) {
  const text = useText();
  const address = useStore(screen.link);
  return address === null ? null : <p className="terminal-link bytes small">{text(strings.terminal.link)(address)}</p>;
}
