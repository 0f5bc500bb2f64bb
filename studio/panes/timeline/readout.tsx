import { type RefObject, useEffect, useRef } from 'react';
import type { TimeScale } from '../../model/timeline/time-axis.ts';
import { nearestMark } from '../../model/timeline/timeline-marks.ts';
import { clock } from '../../model/times.ts';
import { useSession } from '../../state/use-run.tsx';
import { say } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { rowAt } from './rows.ts';
import { NEAR_PX } from './use-gestures.ts';

/** The time under the pointer, and what happened there. Updated without React, like the playhead. */
export function Readout({ strip, scale }: { strip: RefObject<HTMLElement | null>; scale: TimeScale }) {
  const session = useSession();
  const box = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    const over = strip.current;
    const hide = () => {
      if (box.current) box.current.hidden = true;
    };
    const show = ({ clientX, clientY }: PointerEvent) => {
      if (!over || !box.current) return;
      const { left, top, width } = over.getBoundingClientRect();
      const x = clientX - left;
      const time = Math.max(0, scale.time(x));
      const within = scale.time(x + NEAR_PX) - time;
      const mark = nearestMark(session.playback.marks, time, { within, row: rowAt(clientY - top) });
      const what = mark ? ` · ${say(strings.timeline.rows[mark.row])} ${mark.title}` : '';
      box.current.textContent = `${clock(time, { tenths: true })}${what}`;
      box.current.hidden = false;
      const most = Math.max(0, width - box.current.offsetWidth);
      box.current.style.transform = `translateX(${Math.min(most, Math.max(0, x + 8))}px)`;
    };
    over?.addEventListener('pointermove', show);
    over?.addEventListener('pointerleave', hide);
    return () => {
      over?.removeEventListener('pointermove', show);
      over?.removeEventListener('pointerleave', hide);
    };
  }, [strip, scale, session]);
  return <p ref={box} className="timeline-readout small bytes" aria-hidden="true" hidden />;
}
