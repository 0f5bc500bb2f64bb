import type { RaspEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../../src/record/index.ts';

/** One thing that an event belongs to. */
export interface CorrelationLink {
  name: string;
  value: string;
  /** The event to go to; null if there is no other one. */
  seq: number | null;
  /** It names an event or a call that was not recorded. */
  missing: boolean;
}

export function correlationLinks(model: RunModel, event: RaspEvent): CorrelationLink[] {
  return Object.entries(event.correlation).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const link = { name, value: typeof value === 'string' ? value : JSON.stringify(value) };
    if (name === 'parent_seq' || name === 'parent') {
      const seq = name === 'parent' ? model.calls.get(link.value)?.startedSeq : eventAt(model, Number(value))?.seq;
      return [{ ...link, seq: seq ?? null, missing: seq === undefined }];
    }
    const other = model.events.find(({ seq, correlation }) => seq !== event.seq && correlation[name] === value);
    return [{ ...link, seq: other?.seq ?? null, missing: false }];
  });
}
