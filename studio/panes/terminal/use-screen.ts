import { type RefObject, useEffect, useState } from 'react';
import { lengthOf } from '../../../src/record/index.ts';
import { SAME_MOMENT_MS } from '../../model/activity.ts';
import { positionAt } from '../../model/terminal/frames.ts';
import type { RunSession } from '../../state/run-session.ts';
import { useSession } from '../../state/use-run.tsx';
import { showFinalScreen } from './final-screen.ts';
import { openScreen } from './open-screen.ts';
import type { TerminalScreen } from './terminal-screen.ts';

/** What the terminal shows. */
export type Shown =
  | { kind: 'loading' }
  | { kind: 'playing'; attempt: number }
  | { kind: 'none'; attempt: number }
  | { kind: 'final'; attempt: number }
  | { kind: 'failed'; message: string };

/** A terminal that follows the playhead. It watches the stores directly, so that playing does not rerender the page. */
export function useScreen(place: RefObject<HTMLElement | null>): { screen: TerminalScreen | null; shown: Shown } {
  const session = useSession();
  const [screen, setScreen] = useState<TerminalScreen | null>(null);
  const [shown, setShown] = useState<Shown>({ kind: 'loading' });

  useEffect(() => {
    const parent = place.current;
    if (!parent) return;
    const ending = new AbortController();
    const { signal } = ending;
    const report = (next: Shown) =>
      setShown((before) => (JSON.stringify(before) === JSON.stringify(next) ? before : next));
    void openReplay(parent, signal).then((opened) => {
      if (signal.aborted) return;
      signal.addEventListener('abort', follow(session, opened, report));
      setScreen(opened);
    });
    return () => ending.abort();
  }, [session, place]);
  return { screen, shown };
}

/** The terminal is the largest part of the page, so it is loaded separately. */
async function openReplay(parent: HTMLElement, signal: AbortSignal): Promise<TerminalScreen> {
  const { TerminalScreen } = await import('./terminal-screen.ts');
  return openScreen(new TerminalScreen(), parent, signal);
}

/** Shows what the view asks for, now and whenever it or the recording changes. */
function follow(session: RunSession, screen: TerminalScreen, report: (shown: Shown) => void): () => void {
  let finals = -1;
  const show = async () => {
    const { model, recordings } = session;
    const attempt = shownAttempt(session);
    const kept = attempt === null ? undefined : recordings.get(attempt);
    if (attempt === null || kept === undefined) return;
    if (kept.problem instanceof Error) return report({ kind: 'failed', message: kept.problem.message });
    if (kept.problem === 'missing') {
      if (finals === attempt) return;
      finals = attempt;
      const there = await showFinalScreen(session.source, screen, attempt);
      return report({ kind: there ? 'final' : 'none', attempt });
    }
    const tape = await recordings.tape(attempt);
    if (tape === null) return report({ kind: 'none', attempt });
    finals = -1;
    report({ kind: 'playing', attempt });
    const atEnd = session.view.get().following || session.time >= lengthOf(model);
    const time = atEnd ? Number.POSITIVE_INFINITY : (model.start ?? 0) + session.time + SAME_MOMENT_MS;
    await screen.show(tape, positionAt(tape.recording, time));
  };
  const tryShow = () => {
    show().catch((error: Error) => {
      if (error.name !== 'AbortError') report({ kind: 'failed', message: error.message });
    });
  };
  const watched = [session.view, session.version, session.recordings.version];
  const stops = watched.map((store) => store.subscribe(tryShow));
  tryShow();
  return () => {
    for (const stop of stops) stop();
  };
}

/** The selected attempt, else the one at the playhead. */
function shownAttempt({ model, view, time }: RunSession): number | null {
  const { attempt, following } = view.get();
  if (attempt !== null) return attempt;
  const inside = following
    ? model.attempts.at(-1)
    : model.attempts.findLast(({ from }) => from - (model.start ?? 0) <= time);
  return (inside ?? model.attempts[0])?.number ?? null;
}
