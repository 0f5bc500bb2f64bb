import { eventAt, timeOf } from '../../src/record/index.ts';
import { spanOf } from '../model/span-of.ts';
import type { Tab } from '../model/view.ts';
import type { RunSession } from './run-session.ts';
import type { Step } from './view-store.ts';

/** Selects an event and moves the playhead to it. At the live end it keeps following. */
export function selectEvent(session: RunSession, seq: number, { tab, step = 'push' }: { tab?: Tab; step?: Step } = {}) {
  const { view, model } = session;
  const event = eventAt(model, seq);
  const atEnd = view.get().following && session.isLive && seq === model.events.length;
  view.change(
    {
      selection: { kind: 'event', seq },
      ...(event && { time: timeOf(model, event), following: atEnd }),
      ...(tab && { tab }),
    },
    step,
  );
}

/** Selects an event for inspection; the time window becomes its duration, if it has one. */
export function openEvent(session: RunSession, seq: number): void {
  const window = spanOf(session.model, seq);
  selectEvent(session, seq, { tab: 'event' });
  if (window) session.view.change({ window }, 'replace');
}
