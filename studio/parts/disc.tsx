import { discShapes, discTime, lengthOf, type RunModel } from '../../src/record/index.ts';
import './disc.css';
import { type MouseEvent, useMemo, useState } from 'react';
import { markAt } from '../model/timeline/timeline-marks.ts';
import { clock, duration } from '../model/times.ts';
import { useStore } from '../state/store.ts';
import { useSession } from '../state/use-run.tsx';
import { useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** The picture of a run, with `label` for screen readers. */
export function Disc({ model, size, label }: { model: RunModel; size: number; label: string }) {
  const shapes = useMemo(() => discShapes(model, size), [model, model.events.length, size]);
  return (
    <svg className="disc" width={size} height={size} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      {shapes.map(({ kind, d }) => (
        <path key={kind} className={`disc-${kind}`} fillRule="evenodd" d={d} />
      ))}
    </svg>
  );
}

/** The disc of the open run: it shows the time under the pointer, and a click moves the playhead there. */
export function RunDisc({ size = 96 }: { size?: number }) {
  const text = useText();
  const session = useSession();
  useStore(session.version);
  const { model, playback } = session;
  const [time, setTime] = useState<number | null>(null);
  const length = duration(lengthOf(model));

  function timeAt({ currentTarget, clientX, clientY }: MouseEvent<HTMLButtonElement>): number | null {
    const { left, top } = currentTarget.getBoundingClientRect();
    return discTime(model, { x: clientX - left, y: clientY - top, size });
  }

  function jump(event: MouseEvent<HTMLButtonElement>) {
    // A key press has no position on the disc.
    const chosen = event.detail === 0 ? null : timeAt(event);
    if (chosen !== null) playback.moveTo(chosen);
  }

  const mark = time === null ? undefined : markAt(playback.marks, time);
  const what = mark ? ` · ${text(strings.timeline.rows[mark.row])} ${mark.title}` : '';
  return (
    <span className="run-disc">
      <button
        type="button"
        className="plain"
        onClick={jump}
        onMouseMove={(event) => setTime(timeAt(event))}
        onMouseLeave={() => setTime(null)}
      >
        <Disc model={model} size={size} label={text(strings.timeline.disc)(length)} />
      </button>
      {time !== null && (
        <span className="run-disc-moment small bytes" aria-hidden="true">
          {clock(time, { tenths: true })}
          {what}
        </span>
      )}
    </span>
  );
}
