import type { AgentAnswer, AgentEvent } from '../../protocol/index.ts';
import { shortText } from './short-text.ts';

export type PlanFacts = NonNullable<AgentAnswer['plan']>;

const MAX_ITEMS = 100;
const MAX_TEXT = 1000;

/** The plan in the result of `update_plan`; null if there is none. */
export function planIn(data: unknown, { seq, ts }: Pick<AgentEvent, 'seq' | 'ts'>): PlanFacts | null {
  const { plan, explanation } = (data ?? {}) as { plan?: unknown; explanation?: unknown };
  if (!Array.isArray(plan)) return null;
  const items = plan.slice(0, MAX_ITEMS).flatMap((item: unknown) => {
    const { step, status } = (item ?? {}) as { step?: unknown; status?: unknown };
    if (typeof step !== 'string' || typeof status !== 'string') return [];
    return [{ step: shortText(step, MAX_TEXT), status: shortText(status, 40) }];
  });
  return {
    items,
    explanation: typeof explanation === 'string' ? shortText(explanation, MAX_TEXT) : null,
    seq,
    updated_at: ts,
  };
}
