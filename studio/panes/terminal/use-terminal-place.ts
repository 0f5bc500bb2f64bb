import { type RefObject, useEffect } from 'react';
import type { XtermScreen } from './xterm-screen.ts';

/** Makes the place of a terminal behave like other text of its pane: it can be clicked and copied. */
export function useTerminalPlace(screen: XtermScreen | null, place: RefObject<HTMLElement | null>): void {
  // Text selected in the terminal is not a browser selection, so the browser would copy nothing.
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

  // A click gives the pane the keys; the terminal itself gets the focus only for typing.
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
