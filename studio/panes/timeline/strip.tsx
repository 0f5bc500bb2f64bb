import type { RunModel } from '../../../src/record/index.ts';
import { BAR_WIDTH, outputDensity } from '../../model/terminal/output-density.ts';
import type { Recording } from '../../model/terminal/recording.ts';
import { type Gap, type TimeAxis, type TimeScale, ticksOf } from '../../model/timeline/time-axis.ts';
import {
  MARK_ROWS,
  type Mark,
  type MarkRow,
  type PlacedMark,
  placeMarks,
} from '../../model/timeline/timeline-marks.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { AXIS_BASE, BAND, HEIGHT, middleOf, OUTPUT, pathOf } from './rows.ts';

interface Props {
  model: RunModel;
  recordings: readonly Recording[];
  marks: readonly Mark[];
  axis: TimeAxis;
  seen: { from: number; to: number };
  scale: TimeScale;
  /** Idle spans that are shortened. */
  gaps: readonly Gap[];
  /** End of the axis; open spans extend to it. */
  until: number;
  /** The selected attempt. */
  attempt: number | null;
}

/** Everything on the timeline that does not move with the playhead. */
export function Strip({ model, recordings, marks, axis, seen, scale, gaps, until, attempt }: Props) {
  const text = useText();
  const start = model.start ?? 0;
  const placed = placeMarks(marks, scale, until);
  const bars = outputDensity(recordings, start, scale);
  const spanOf = ({ from, to }: { from: number; to: number | null }) => {
    const left = Math.max(0, scale.x(from - start));
    const right = Math.min(scale.width, scale.x(to === null ? until : to - start));
    return { x: left, width: Math.max(0, right - left) };
  };
  const since = (from: number, to: number) => ({ from: start + from, to: start + to });
  return (
    <svg className="strip" width={scale.width} height={HEIGHT} aria-hidden="true">
      {model.waits.map((wait) => (
        <rect
          key={wait.from}
          className="strip-wait"
          y={BAND.height}
          height={OUTPUT.y - BAND.height}
          {...spanOf(wait)}
        />
      ))}
      {model.attempts.map((each) => {
        const { x, width } = spanOf(each);
        const label = text(strings.timeline.attempt)(each.number);
        return (
          <g key={each.number} className="strip-attempt" data-chosen={each.number === attempt}>
            <rect x={x} y={BAND.y} width={width} height={BAND.height - 1} />
            {width > label.length * 7 && (
              <text x={x + 4} y={BAND.height - 3}>
                {label}
              </text>
            )}
          </g>
        );
      })}
      {MARK_ROWS.map((row) => (
        <Row key={row} row={row} marks={placed.filter((mark) => mark.row === row)} />
      ))}
      {gaps.map(({ from, to }) => (
        <rect
          key={from}
          className="strip-gap"
          y={BAND.height}
          height={HEIGHT - BAND.height}
          {...spanOf(since(from, to))}
        />
      ))}
      <path className="strip-output" d={bars.map(barPath).join('')} />
      {ticksOf(axis, seen, scale.width).map(({ x, label }) => (
        <g key={x} className="strip-tick">
          <path d={`M${x} ${OUTPUT.y + OUTPUT.height}v3`} />
          <text x={x + 3} y={AXIS_BASE}>
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Width of a number in pixels. */
const NUMBER_WIDTH = 22;

function Row({ row, marks }: { row: MarkRow; marks: readonly PlacedMark[] }) {
  return (
    <g className={`strip-row strip-${row}`}>
      <path
        d={pathOf(
          marks.filter(({ bad }) => !bad),
          row,
        )}
      />
      <path
        className="strip-bad"
        d={pathOf(
          marks.filter(({ bad }) => bad),
          row,
        )}
      />
      {marks.map(({ x, width, count }, index) => {
        const room = (marks[index + 1]?.x ?? Number.POSITIVE_INFINITY) - x - width;
        return count > 1 && room > NUMBER_WIDTH ? (
          <text key={x} x={x + width + 5} y={middleOf(row) + 3}>
            {count}
          </text>
        ) : null;
      })}
    </g>
  );
}

function barPath(share: number, index: number): string {
  if (share === 0) return '';
  const height = Math.max(1, Math.round(share * OUTPUT.height));
  return `M${index * BAR_WIDTH} ${OUTPUT.y + OUTPUT.height}v${-height}h${BAR_WIDTH - 1}v${height}z`;
}
