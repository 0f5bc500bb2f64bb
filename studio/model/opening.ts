import { isEvent, type RaspEvent } from '../../src/protocol/index.ts';
import { isTerminal, type RunModel, timeOf } from '../../src/record/index.ts';
import type { View } from './view.ts';

/**
 * What is looked at first, once all of the past is there: what the link names; else the live end; else the event a run
 * failed with; else the last thing that was said. Null where nothing has to change.
 */
export function openingChange(model: RunModel, view: View): Partial<View> | null {
  // A link to a time window or a filter opens with that, not with something it excludes.
  if (view.selection !== null || view.time !== null || view.window !== null || view.filter !== '') return null;
  if (!isTerminal(model.status)) return null;
  if (model.status === 'failed') {
    const failing = failingEvent(model);
    if (failing === null) return null;
    return { selection: { kind: 'event', seq: failing.seq }, time: timeOf(model, failing), following: false };
  }
  const last = model.messages.findLast(({ type }) => type === 'assistant.message.final');
  // With no time of its own the playhead stands at the end.
  return last ? { selection: { kind: 'event', seq: last.meta.rasp_seq }, following: false } : { following: false };
}

/** The engine's own word for what went wrong says more than the verdict on it. */
function failingEvent({ events, attempts }: RunModel): RaspEvent | null {
  const attempt = attempts.at(-1)?.number;
  const error = events.findLast(
    (event) =>
      event.attempt_number === attempt && isEvent(event, 'diagnostic.engine.error') && event.data.severity === 'error',
  );
  return error ?? events.findLast((event) => isEvent(event, 'lifecycle.completion.state')) ?? events.at(-1) ?? null;
}
