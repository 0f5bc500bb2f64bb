import { type KeyboardEvent, useEffect, useState } from 'react';
import { useAction } from '../../state/actions.tsx';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import type { XtermScreen } from './xterm-screen.ts';

/** Searches the screen and the scrollback. */
export function TerminalFind({ screen, onClose }: { screen: XtermScreen; onClose: () => void }) {
  const text = useText();
  const [words, setWords] = useState('');
  const matches = useStore(screen.matches);
  const find = (direction: 'next' | 'previous') => screen.find(words, direction);
  useAction('next-match', () => find('next'), 'terminal');
  useAction('previous-match', () => find('previous'), 'terminal');
  useEffect(() => screen.find(words, 'previous'), [screen, words]);
  useEffect(() => () => screen.find('', 'next'), [screen]);

  function press(event: KeyboardEvent) {
    if (event.key === 'Enter') find(event.shiftKey ? 'next' : 'previous');
    else if (event.key === 'Escape') {
      event.preventDefault();
      event.currentTarget.closest<HTMLElement>('[data-pane]')?.focus();
      onClose();
    }
  }

  const { found, notFound } = strings.terminal;
  return (
    <div className="terminal-find">
      <input
        // biome-ignore lint/a11y/noAutofocus: the user has just opened it.
        autoFocus
        type="search"
        aria-label={text(strings.terminal.find)}
        placeholder={text(strings.terminal.find)}
        value={words}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={press}
      />
      <output className="small quiet">
        {words !== '' &&
          matches &&
          (matches.count === 0 ? text(notFound) : text(found)(matches.index + 1, matches.count))}
      </output>
      <button
        type="button"
        className="plain"
        aria-label={text(strings.keyboard.previousMatch)}
        onClick={() => find('previous')}
      >
        ↑
      </button>
      <button
        type="button"
        className="plain"
        aria-label={text(strings.keyboard.nextMatch)}
        onClick={() => find('next')}
      >
        ↓
      </button>
      <button type="button" className="plain" aria-label={text(strings.app.close)} onClick={onClose}>
        ✕
      </button>
    </div>
  );
}
