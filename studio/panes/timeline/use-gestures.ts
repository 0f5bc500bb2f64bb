import { type RefObject, useEffect, useRef } from 'react';
import { seqAt } from '../../../src/record/index.ts';
import type { TimeScale } from '../../model/timeline/time-axis.ts';
import { nearestMark } from '../../model/timeline/timeline-marks.ts';
import { useSession } from '../../state/use-run.tsx';
import { rowAt } from './rows.ts';
import type { Seen } from './use-timeline.ts';

/** Beyond this distance in pixels, a press is a drag. */
const DRAG_PX = 4;
/** Within this distance in pixels, a mark or the playhead is hit. */
export const NEAR_PX = 8;
const ZOOM_PER_PX = 0.002;

interface Given {
  scale: TimeScale;
  seen: Seen;
  see(seen: Seen): void;
  /** There is room only for the playhead. */
  scrubOnly: boolean;
}

/** Click, drag and wheel on the strip. */
export function useGestures(place: RefObject<HTMLElement | null>, given: Given): void {
  const session = useSession();
  const latest = useRef(given);
  latest.current = given;

  useEffect(() => {
    const strip = place.current;
    if (!strip) return;
    const xOf = ({ clientX }: MouseEvent) => clientX - strip.getBoundingClientRect().left;

    const press = (event: PointerEvent) => {
      if (event.button !== 0 || (event.target as HTMLElement).closest('button')) return;
      const begin = xOf(event);
      const { scale, scrubOnly } = latest.current;
      const scrubs = scrubOnly || Math.abs(begin - scale.x(session.time)) < NEAR_PX;
      let dragged = false;
      strip.setPointerCapture(event.pointerId);
      const move = (moved: PointerEvent) => {
        const x = xOf(moved);
        dragged ||= Math.abs(x - begin) > DRAG_PX;
        if (!dragged) return;
        const { scale: now } = latest.current;
        if (scrubs) session.playback.moveTo(now.time(x));
        else setWindow(now.time(Math.min(begin, x)), now.time(Math.max(begin, x)));
      };
      const end = () => {
        strip.removeEventListener('pointermove', move);
        if (!dragged) choose(begin, event.clientY - strip.getBoundingClientRect().top);
      };
      strip.addEventListener('pointermove', move);
      strip.addEventListener('lostpointercapture', end, { once: true });
    };

    const setWindow = (from: number, to: number) =>
      session.view.change({ window: { from: Math.max(0, from), to: Math.max(0, to) } }, 'replace');

    /** Moves the playhead and selects what is there. */
    const choose = (x: number, y: number) => {
      const { scale } = latest.current;
      const time = Math.max(0, scale.time(x));
      const within = scale.time(x + NEAR_PX) - time;
      const mark = nearestMark(session.playback.marks, time, { within, row: rowAt(y) });
      const seq = mark?.seq ?? seqAt(session.model, time);
      session.playback.moveTo(mark && mark.from > time ? mark.from : time);
      if (seq > 0) session.view.change({ selection: { kind: 'event', seq } });
    };

    const zoom = (event: WheelEvent) => {
      event.preventDefault();
      const { scale, seen, see } = latest.current;
      const perPixel = (seen.to - seen.from) / Math.max(1, scale.width);
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        const by = (event.deltaX || event.deltaY) * perPixel;
        return see({ from: seen.from + by, to: seen.to + by });
      }
      const at = seen.from + xOf(event) * perPixel;
      // A pinch arrives as a wheel event with Ctrl, in smaller steps.
      const factor = Math.exp(event.deltaY * ZOOM_PER_PX * (event.ctrlKey ? 5 : 1));
      see({ from: at - (at - seen.from) * factor, to: at + (seen.to - at) * factor });
    };

    const clear = () => session.view.change({ window: null });
    strip.addEventListener('pointerdown', press);
    strip.addEventListener('wheel', zoom, { passive: false });
    strip.addEventListener('dblclick', clear);
    return () => {
      strip.removeEventListener('pointerdown', press);
      strip.removeEventListener('wheel', zoom);
      strip.removeEventListener('dblclick', clear);
    };
  }, [place, session]);
}
