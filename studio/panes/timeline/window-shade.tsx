import type { KeyboardEvent, PointerEvent } from 'react';
import type { TimeScale } from '../../model/timeline/time-axis.ts';
import { clock } from '../../model/times.ts';
import { useSession, useView } from '../../state/use-run.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const KEY_STEP_PX = 8;

/** The selected time window: the rest is dimmed, and both ends can be moved. */
export function WindowShade({ scale }: { scale: TimeScale }) {
  const text = useText();
  const { view } = useSession();
  const window = useView((state) => state.window);
  if (window === null) return null;
  const [left, right] = [scale.x(window.from), scale.x(window.to)];

  function move(end: 'from' | 'to', time: number) {
    const current = view.get().window;
    if (!current) return;
    const next = { ...current, [end]: Math.max(0, time) };
    if (next.from < next.to) view.change({ window: next }, 'replace');
  }

  const handle = (end: 'from' | 'to', x: number) => ({
    type: 'button' as const,
    className: 'timeline-handle',
    style: { transform: `translateX(${x}px)` },
    'aria-label': `${text(end === 'from' ? strings.timeline.windowStart : strings.timeline.windowEnd)} ${clock(window[end])}`,
    onPointerDown: (event: PointerEvent<HTMLButtonElement>) => {
      const { currentTarget, pointerId, clientX } = event;
      event.stopPropagation();
      currentTarget.setPointerCapture(pointerId);
      const drag = (moved: globalThis.PointerEvent) => move(end, scale.time(x + moved.clientX - clientX));
      currentTarget.addEventListener('pointermove', drag);
      const stop = () => currentTarget.removeEventListener('pointermove', drag);
      currentTarget.addEventListener('lostpointercapture', stop, { once: true });
    },
    onKeyDown: (event: KeyboardEvent) => {
      const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
      if (step === 0) return;
      event.preventDefault();
      event.stopPropagation();
      move(end, scale.time(x + step * KEY_STEP_PX));
    },
  });
  return (
    <div className="timeline-window">
      <div className="timeline-outside" style={{ width: Math.max(0, left) }} />
      <div className="timeline-outside" style={{ left: Math.max(0, right), right: 0 }} />
      <button {...handle('from', left)} />
      <button {...handle('to', right)} />
    </div>
  );
}
