import { type RefObject, useEffect, useState } from 'react';
import type { TerminalView } from '../../../src/protocol/index.ts';
import type { Size } from '../../model/terminal/frames.ts';
import type { LiveScreen } from '../../panes/terminal/live-screen.ts';
import { openScreen } from '../../panes/terminal/open-screen.ts';
import type { TerminalSession } from '../../state/terminal-session.ts';

/** A terminal that mirrors the screen of a session. */
export function useLiveScreen(session: TerminalSession, place: RefObject<HTMLElement | null>): LiveScreen | null {
  const [screen, setScreen] = useState<LiveScreen | null>(null);
  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const ending = new AbortController();
    const { signal } = ending;
    void openLive(parent, signal).then((opened) => {
      if (signal.aborted) return;
      const stop = session.follow({
        begin: (terminal, snapshot) => opened.begin({ ...sizeOf(terminal), snapshot, bareLineFeeds: terminal.split }),
        output: (_, bytes) => opened.output(bytes),
        // Reported above the screen, where a gap has no position.
        gap: () => {},
        changed: (terminal) => opened.resize(sizeOf(terminal)),
      });
      signal.addEventListener('abort', stop);
      setScreen(opened);
    });
    return () => ending.abort();
  }, [session, place]);
  return screen;
}

async function openLive(parent: HTMLElement, signal: AbortSignal): Promise<LiveScreen> {
  const { LiveScreen } = await import('../../panes/terminal/live-screen.ts');
  return openScreen(new LiveScreen(), parent, signal);
}

function sizeOf({ cols, rows }: TerminalView): Size {
  return { cols: cols ?? 80, rows: rows ?? 24 };
}
