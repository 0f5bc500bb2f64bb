import { isEvent, type RaspEvent } from '../../src/protocol/index.ts';
import { isTerminal, type RunModel, timeOf } from '../../src/record/index.ts';
import type { View } from './view.ts';

/**
 * What to show first, once the whole history is loaded: the target of the link; else the live end; else the event with
 * which the run failed; else the last message. Null if nothing has to change.
 */
export function openingChange(model: RunModel, view: View): Partial<View> | null {
  // A link with a time window or a filter opens with that, not with something it excludes.
  if (view.selection !== null || view.time !== null || view.window !== null || view.filter !== '') return null;
  if (!isTerminal(model.status)) return null;
  if (model.status === 'failed') {
    const failing = failingEvent(model);
    if (failing === null) return null;
    return { selection: { kind: 'event', seq: failing.seq }, time: timeOf(model, failing), following: false };
  }
  const last = model.messages.findLast(({ type }) => type === 'assistant.message.final');
  // Without a time the playhead is at the end.
  return last ? { selection: { kind: 'event', seq: last.meta.rasp_seq }, following: false } : { following: false };
}

/** The engine's own error says more than the result derived from it. */
function failingEvent({ events, attempts }: RunModel): RaspEvent | null {
  const attempt = attempts.at(-1)?.number;
  const error = events.findLast(
    (event) =>
      event.attempt_number === attempt && isEvent(event, 'diagnostic.engine.error') && event.data.severity === 'error',
  );
  return error ?? events.findLast((event) => isEvent(event, 'lifecycle.completion.state')) ?? events.at(-1) ?? null;
}
