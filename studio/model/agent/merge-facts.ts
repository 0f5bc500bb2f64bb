import type { AgentAnswer } from '../../../src/protocol/index.ts';

/** What is known of an agent: the newest answer, with all steps that any answer had. */
export type AgentKnown = Omit<AgentAnswer, 'next_step'>;

/** Adds an answer to what is known. Another agent, or a log that was written anew, begins anew. */
export function mergeFacts(known: AgentKnown | null, { next_step: _, ...answer }: AgentAnswer): AgentKnown {
  const isSame = known?.run_id === answer.run_id && answer.last_seq >= known.last_seq;
  if (!isSame) return answer;
  const first = answer.steps[0]?.step ?? Number.POSITIVE_INFINITY;
  const before = known.steps.filter(({ step }) => step < first);
  return { ...answer, steps: [...before, ...answer.steps] };
}

/** The `after_step` that gets what is missing, and the newest known step again: it may have grown. */
export function nextStepAfter(known: AgentKnown | null): number {
  return Math.max(0, (known?.steps.at(-1)?.step ?? 1) - 1);
}

/** Whether more can be expected without another event of the run: child agents have logs of their own. */
export function isGoingOn({ status, held, children }: Pick<AgentKnown, 'status' | 'held' | 'children'>): boolean {
  const isLive = (child: AgentKnown['children'][number]): boolean =>
    child.status === 'running' || child.children.some(isLive);
  return held || status === 'running' || children.some(isLive);
}
