import { isEvent, type RaspEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel, timeOf } from '../../../src/record/index.ts';
import { inWindow } from '../times.ts';
import type { TimeWindow } from '../view.ts';

/** One row of the table: an event, or a call from start to end. */
export interface EventRow {
  seq: number;
  /** The event that ended the call; null for a single event. */
  endSeq: number | null;
}

export interface EventRows {
  rows: readonly EventRow[];
  /** Events without a row. */
  hidden: number;
}

export interface RowCriteria {
  matches(event: RaspEvent): boolean;
  window: TimeWindow | null;
  /** Combines the start and the end of a call in one row. */
  grouped: boolean;
}

/** Builds the rows of a growing run: each call processes only new events. */
export function eventRowsMaker({ matches, window, grouped }: RowCriteria): (model: RunModel) => EventRows {
  const rows: EventRow[] = [];
  /** The row of each call that has not ended. */
  const openCalls = new Map<string, EventRow>();
  let seen = 0;
  let shown = 0;

  function add(model: RunModel, event: RaspEvent): void {
    const callId = grouped ? endedCall(event) : null;
    const started = callId === null ? undefined : openCalls.get(callId);
    if (started) {
      started.endSeq = event.seq;
      openCalls.delete(callId!);
      shown++;
      return;
    }
    if (!inWindow(window, timeOf(model, event)) || !matches(event)) return;
    const row: EventRow = { seq: event.seq, endSeq: null };
    rows.push(row);
    shown++;
    if (grouped && isEvent(event, 'tool.call.started')) openCalls.set(event.data.call_id, row);
  }

  return (model) => {
    for (; seen < model.events.length; seen++) add(model, eventAt(model, seen + 1)!);
    return { rows: [...rows], hidden: seen - shown };
  };
}

/** Index of an event's row, or −1. Rows are in the order of their first event. */
export function rowOf(rows: readonly EventRow[], seq: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]!.seq < seq) low = middle + 1;
    else high = middle;
  }
  if (rows[low]?.seq === seq) return low;
  return rows.findIndex(({ endSeq }) => endSeq === seq);
}

function endedCall(event: RaspEvent): string | null {
  return isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed') ? event.data.call_id : null;
}
