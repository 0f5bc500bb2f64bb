import { lengthOf } from '../../../src/record/index.ts';
import { useAction } from '../../state/actions.tsx';
import { useSession } from '../../state/use-run.tsx';

const STEP_MS = 5000;

/** The keys that move the playhead; they work wherever the focus is. */
export function usePlaybackKeys(): void {
  const session = useSession();
  const { playback, model, view } = session;
  const tenth = () => lengthOf(model) / 10;
  useAction('play', () => playback.toggle());
  useAction('back', () => playback.moveBy(-STEP_MS));
  useAction('on', () => playback.moveBy(STEP_MS));
  useAction('far-back', () => playback.moveBy(-tenth()));
  useAction('far-on', () => playback.moveBy(tenth()));
  useAction('previous-frame', () => playback.stepFrame('before'));
  useAction('next-frame', () => playback.stepFrame('after'));
  useAction('previous-mark', () => playback.stepMark('before'));
  useAction('next-mark', () => playback.stepMark('after'));
  useAction('to-tenth', (key) => playback.toShare(Number(key) / 10));
  useAction('slower', () => playback.changeSpeed(-1));
  useAction('faster', () => playback.changeSpeed(1));
  useAction('live', () => playback.returnToLive());
  useAction('clear-window', () => view.change({ window: null }));
}
