import { useDeferredValue, useMemo, useRef } from 'react';
import { eventAt, timeOf } from '../../../src/record/index.ts';
import { type FilterTerm, parseFilter } from '../../model/events/event-filter.ts';
import { eventMatcher } from '../../model/events/event-match.ts';
import { type EventRows, eventRowsMaker } from '../../model/events/event-rows.ts';
import { inWindow } from '../../model/times.ts';
import type { TimeWindow } from '../../model/view.ts';
import type { RunSession } from '../../state/run-session.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';

/** The selection and the filter at their last change, and which of them changed. */
interface Basis {
  seq: number | null;
  filter: string;
  window: TimeWindow | null;
  mayLift: boolean;
}

/** Outlives the pane: returning to its tab does not count as a new link. */
const bases = new WeakMap<RunSession, Basis>();

export interface ShownEvents extends EventRows {
  terms: readonly FilterTerm[];
  /** The filter is not applied, because it would hide the linked event. */
  lifted: boolean;
}

export function useEventRows(grouped: boolean, applyAnyway: boolean): ShownEvents {
  const session = useSession();
  const model = useModel();
  // Typed text appears immediately, the rows when they are ready.
  const filter = useDeferredValue(useView((view) => view.filter));
  const window = useView((view) => view.window);
  const seq = useView(({ selection }) => (selection?.kind === 'event' ? selection.seq : null));
  const terms = useMemo(() => parseFilter(filter), [filter]);
  const matches = useMemo(() => eventMatcher(terms), [terms]);

  const basis = basisOf(session, { seq, filter, window });
  const linked = seq === null || applyAnyway ? undefined : eventAt(model, seq);
  const hides = linked !== undefined && !(inWindow(window, timeOf(model, linked)) && matches(linked));
  const lifted = basis.mayLift && hides;

  const rowsOf = useMemo(
    () => eventRowsMaker(lifted ? { matches: () => true, window: null, grouped } : { matches, window, grouped }),
    [lifted, matches, window, grouped],
  );
  const made = useRef<{ rowsOf: typeof rowsOf; length: number; result: EventRows } | null>(null);
  if (made.current?.rowsOf !== rowsOf || made.current.length !== model.events.length) {
    made.current = { rowsOf, length: model.events.length, result: rowsOf(model) };
  }
  return { ...made.current.result, terms, lifted };
}

/** A filter may hide the selected event when it is set; a later selection of a hidden event lifts the filter. */
function basisOf(session: RunSession, now: Omit<Basis, 'mayLift'>): Basis {
  const before = bases.get(session);
  const same = before && before.seq === now.seq && before.filter === now.filter && before.window === now.window;
  if (same) return before;
  const refiltered = before && before.seq === now.seq;
  const basis = { ...now, mayLift: !refiltered && now.seq !== null };
  bases.set(session, basis);
  return basis;
}
