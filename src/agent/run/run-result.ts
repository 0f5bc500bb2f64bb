import type { AgentData, Usage } from '../../protocol/index.ts';
import type { AgentState } from '../state/state.ts';

interface Totals {
  run_id: string;
  /** Absolute path of the log. */
  wal_locator: string;
  steps: number;
  usage: Usage;
  cost_usd: number | null;
}

/** How a run ended, or what it waits for. */
export type RunResult<Output = string> = Totals &
  (
    | { status: 'completed'; output: Output; text: string }
    | { status: 'failed'; reason: AgentData<'run_failed'>['reason']; message: string }
    | { status: 'cancelled'; reason: string }
    /** A decision or an answer is missing; `agent.resume(run_id)` continues with it, in any process. */
    | { status: 'waiting'; approvals: string[]; questions: string[] }
    /** It was stopped without being ended; `agent.resume(run_id)` continues it. */
    | { status: 'closed'; reason: string }
  );

/** `shown` removes secrets: a failure may end up in any log. */
export function resultOf<Output>(
  state: AgentState,
  wal_locator: string,
  shown: (text: string) => string,
): RunResult<Output> {
  const { runId: run_id, step: steps, usage, costUsd: cost_usd, end } = state;
  const totals = { run_id, wal_locator, steps, usage, cost_usd };
  switch (end?.type) {
    case 'run_completed':
      return { ...totals, status: 'completed', output: end.data.output as Output, text: end.data.text };
    case 'run_failed':
      return { ...totals, status: 'failed', reason: end.data.reason, message: shown(end.data.message) };
    case 'run_cancelled':
      return { ...totals, status: 'cancelled', reason: end.data.reason };
    case undefined: {
      if (state.close !== null) return { ...totals, status: 'closed', reason: shown(state.close) };
      const open = state.turn.filter(({ result }) => result === null);
      const approvals = open.flatMap(({ approval }) => (approval && !approval.answer ? approval.id : []));
      const asked = [state.compactionQuestion, ...open.map(({ question }) => question)];
      const questions = asked.flatMap((question) => (question && !question.answer ? question.id : []));
      return { ...totals, status: 'waiting', approvals, questions };
    }
  }
}
