import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { lengthOf } from '../../../src/record/index.ts';
import type { TimeScale } from '../../model/timeline/time-axis.ts';
import { markAt } from '../../model/timeline/timeline-marks.ts';
import type { RunSession } from '../../state/run-session.ts';
import { useSession } from '../../state/use-run.tsx';
import { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** Moves the playhead without React, up to sixty times a second. */
export function usePlayhead(
  strip: RefObject<HTMLElement | null>,
  line: RefObject<HTMLElement | null>,
  scale: TimeScale,
): void {
  const session = useSession();
  const latest = useRef(scale);
  const draw = useRef(() => {});
  useLayoutEffect(() => {
    latest.current = scale;
    draw.current();
  });
  useEffect(() => {
    draw.current = () => {
      if (!strip.current || !line.current) return;
      const x = latest.current.x(session.time);
      line.current.hidden = x < 0 || x > latest.current.width;
      line.current.style.transform = `translateX(${Math.round(x)}px)`;
      strip.current.ariaValueMax = String(Math.round(lengthOf(session.model)));
      strip.current.ariaValueNow = String(Math.round(session.time));
      strip.current.ariaValueText = spokenTime(session);
    };
    draw.current();
    const again = () => draw.current();
    const stops = [session.view.subscribe(again), session.version.subscribe(again)];
    return () => {
      for (const stop of stops) stop();
    };
  }, [session, strip, line]);
}

/** `2 minutes 14, tool call write_file`. */
function spokenTime({ playback, time }: RunSession): string {
  const seconds = Math.floor(time / 1000);
  const spoken = say(strings.timeline.spoken)(Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60);
  const mark = markAt(playback.marks, time + 1);
  return mark ? `${spoken}, ${say(strings.timeline.rows[mark.row])} ${mark.title}` : spoken;
}
