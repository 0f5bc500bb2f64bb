import { lengthOf } from '../../../src/record/index.ts';
import './timeline.css';
import { type KeyboardEvent, useRef } from 'react';
import { duration } from '../../model/times.ts';
import { Pane } from '../../parts/layout/pane.tsx';
import { useMedia } from '../../parts/layout/use-media.ts';
import { useAction } from '../../state/actions.tsx';
import { useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { Readout } from './readout.tsx';
import { Strip } from './strip.tsx';
import { useGestures } from './use-gestures.ts';
import { usePlayhead } from './use-playhead.ts';
import { useTimeline } from './use-timeline.ts';
import { WindowShade } from './window-shade.tsx';

const STEP_MS = 5000;

/** Compressing is offered if this share of a run was idle… */
const IDLE_SHARE = 0.5;
/** …and the run lasted at least this long. */
const IDLE_LENGTH_MS = 10_000;

/** The whole run in one strip, with the playhead. */
export function TimelinePane() {
  const text = useText();
  const { playback, model: run, recordings } = useSession();
  const timeline = useTimeline();
  const { model, axis, seen, scale, gaps, until, place } = timeline;
  const playhead = useRef<HTMLDivElement>(null);
  const scrubOnly = useMedia('(max-width: 699px)');
  const attempt = useView((view) => view.attempt);
  usePlaybackKeys();
  useGestures(place, { scale, seen, see: timeline.see, scrubOnly });
  usePlayhead(place, playhead, scale);

  function press(event: KeyboardEvent) {
    if (event.key === 'Home') playback.moveTo(0);
    else if (event.key === 'End') playback.moveTo(lengthOf(run));
    else return;
    event.preventDefault();
  }

  return (
    <Pane bare name="timeline" title={text(strings.run.paneTimeline)}>
      <div className="timeline">
        <div
          ref={place}
          className="timeline-strip"
          role="slider"
          tabIndex={0}
          aria-label={text(strings.timeline.playhead)}
          aria-valuemin={0}
          aria-valuemax={0}
          aria-valuenow={0}
          onKeyDown={press}
        >
          {model.events.length > 0 && scale.width > 0 && (
            <Strip
              {...{ model, axis, seen, scale, gaps, until, attempt }}
              marks={playback.marks}
              recordings={recordings.all()}
            />
          )}
          <div ref={playhead} className="timeline-playhead" />
          <Readout strip={place} scale={scale} />
        </div>
        <WindowShade scale={scale} />
      </div>
      <Offers {...timeline} />
    </Pane>
  );
}

type OffersProps = Pick<
  ReturnType<typeof useTimeline>,
  'until' | 'idle' | 'compressed' | 'setCompressed' | 'zoomed' | 'showWhole'
>;

/** Actions for the axis; shown only when possible. */
function Offers({ until, idle, compressed, setCompressed, zoomed, showWhole }: OffersProps) {
  const text = useText();
  const { view } = useSession();
  const hasWindow = useView(({ window }) => window !== null);
  const offered = compressed || (idle >= IDLE_SHARE && until >= IDLE_LENGTH_MS);
  if (!offered && !zoomed && !hasWindow) return null;
  const { idle: idleText, honest, whole, clearWindow } = strings.timeline;
  return (
    <div className="timeline-offers small">
      {offered && (
        <button type="button" className="plain" aria-pressed={compressed} onClick={() => setCompressed(!compressed)}>
          {compressed ? text(honest) : text(idleText)(duration(until), Math.round(idle * 100))}
        </button>
      )}
      {zoomed && (
        <button type="button" className="plain" onClick={showWhole}>
          {text(whole)}
        </button>
      )}
      {hasWindow && (
        <button type="button" className="plain" title="z" onClick={() => view.change({ window: null })}>
          {text(clearWindow)}
        </button>
      )}
    </div>
  );
}

/** The keys that move the playhead, in every pane. */
function usePlaybackKeys(): void {
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
