import type { DiscShape } from '../../../src/record/index.ts';
import '../../parts/disc.css';
import { DISC_SIZE } from '../../state/run-summaries.ts';

/** The disc of a run in its row. The row says in words what it shows, so nobody is told twice. */
export function RowDisc({ shapes }: { shapes: readonly DiscShape[] }) {
  return (
    <svg
      className="disc"
      width={DISC_SIZE}
      height={DISC_SIZE}
      viewBox={`0 0 ${DISC_SIZE} ${DISC_SIZE}`}
      aria-hidden="true"
    >
      {shapes.map(({ kind, d }) => (
        <path key={kind} className={`disc-${kind}`} fillRule="evenodd" d={d} />
      ))}
    </svg>
  );
}
