import type { AgentStep, RaspEvent } from '../../../src/protocol/index.ts';

/**
 * The event of the run that belongs to a moment of the agent's log: the first one at that time or after it, else the
 * last one. Null for a run without events.
 */
export function seqAt(events: readonly RaspEvent[], ts: string): number | null {
  const time = Date.parse(ts);
  let [from, to] = [0, events.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (Date.parse(events[middle]!.ts) < time) from = middle + 1;
    else to = middle;
  }
  return events[Math.min(from, events.length - 1)]?.seq ?? null;
}

/** The step that was going on at a time (milliseconds since the epoch); null before the first one. */
export function stepAt(steps: readonly Pick<AgentStep, 'step' | 'started_at'>[], time: number): number | null {
  const at = steps.findLast(({ started_at }) => Date.parse(started_at) <= time);
  return at?.step ?? null;
}

/** The step that an event of the agent's log belongs to; null before the first one. */
export function stepOfSeq(steps: readonly Pick<AgentStep, 'step' | 'first_seq'>[], seq: number): number | null {
  return steps.findLast(({ first_seq }) => first_seq <= seq)?.step ?? null;
}

/** How long a step has taken so far. */
export function stepMs({ started_at, ended_at }: Pick<AgentStep, 'started_at' | 'ended_at'>): number {
  return Math.max(0, Date.parse(ended_at) - Date.parse(started_at));
}

/** Where a fork begins that does a step anew: the event before it. */
export function forkPoint({ first_seq }: Pick<AgentStep, 'first_seq'>): number {
  return Math.max(1, first_seq - 1);
}
