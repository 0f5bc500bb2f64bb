import { isEvent } from '../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../src/record/index.ts';
import type { TimeWindow } from './view.ts';

/** Start and end of what an event reports: a tool call, a wait for a decision. Null for a single moment. */
export function spanOf(model: RunModel, seq: number): TimeWindow | null {
  const event = eventAt(model, seq);
  if (event === undefined || model.start === null) return null;
  const isCall =
    isEvent(event, 'tool.call.started') || isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed');
  const isApproval = isEvent(event, 'interaction.approval.requested') || isEvent(event, 'interaction.approval.decided');
  const span = isCall
    ? model.calls.get(event.data.call_id)
    : isApproval
      ? model.approvals.get(event.data.approval_id)
      : undefined;
  if (!span) return null;
  const [from, to] = [span.from - model.start, (span.to ?? model.end ?? span.from) - model.start];
  // An instantaneous call still has to be visible.
  return { from, to: Math.max(to, from + 1) };
}
