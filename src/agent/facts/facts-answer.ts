import type { AgentAnswer, AgentChild, AgentStep } from '../../protocol/index.ts';
import type { EndData } from '../state/state.ts';
import type { AgentLog } from './agent-log.ts';
import { usedIn } from './agent-tree.ts';
import type { StepFacts } from './fold-facts.ts';
import { shortText } from './short-text.ts';

/** The newest decisions and answers; each step also has its own. */
const MAX_LISTED = 200;
const MAX_RESULT = 4000;

export interface FactsQuery {
  /** Steps after this one. */
  afterStep: number;
  limit: number;
}

/** Facts that are not in the log of the run itself. */
export interface FactsAround {
  children: AgentChild[];
  forks: AgentAnswer['forks'];
}

/** What the log of a run says, with one page of its steps. */
export function factsAnswer(log: AgentLog, { afterStep, limit }: FactsQuery, around: FactsAround): AgentAnswer {
  const { facts, problem, status, held, paths, workspaceRoot } = log;
  const { state, steps } = facts;
  const rest = steps.filter(({ step }) => step > afterStep);
  const page = rest.slice(0, limit);
  const { exhausted } = state;
  return {
    run_id: paths.runId,
    workspace: workspaceRoot,
    locator: paths.log,
    status,
    held,
    result: state.end && resultOf(state.end),
    task: facts.task,
    model: facts.model,
    started_at: facts.startedAt,
    updated_at: facts.updatedAt,
    last_seq: facts.lastSeq,
    parent: facts.parent,
    forked_from: facts.forkedFrom,
    forks: around.forks,
    resumed: facts.resumed,
    plan: facts.plan,
    budgets: state.budgets,
    exhausted,
    use: { ...usedIn(facts), active_ms: state.activeMs, usage: state.usage },
    steps: page.map((step) => shownStep(step, around.children)),
    next_step: rest.length > limit ? page.at(-1)!.step : null,
    total_steps: steps.length,
    approvals: newest([...facts.approvals.values()], ({ decision }) => decision === null),
    total_approvals: facts.approvals.size,
    questions: newest([...facts.questions.values()], ({ answers }) => answers === null),
    total_questions: facts.questions.size,
    children: around.children,
    problems: problem ? [problem] : [],
  };
}

function shownStep({ extent: _, calls, ...step }: StepFacts, children: readonly AgentChild[]): AgentStep {
  return {
    ...step,
    calls: calls.map((call) => ({ ...call, child: childOf(call, children) })),
  };
}

/** Ids of calls may repeat from step to step, so the time counts too. */
function childOf({ call_id, started_at, ended_at }: AgentStep['calls'][number], children: readonly AgentChild[]) {
  if (started_at === null) return null;
  const isMeant = (child: AgentChild) =>
    child.call_id === call_id &&
    child.started_at !== null &&
    child.started_at >= started_at &&
    (ended_at === null || child.started_at <= ended_at);
  return children.find(isMeant)?.run_id ?? null;
}

function newest<T>(all: T[], isOpen: (one: T) => boolean): T[] {
  if (all.length <= MAX_LISTED) return all;
  const first = all.length - MAX_LISTED;
  return all.filter((one, index) => index >= first || isOpen(one)).slice(-2 * MAX_LISTED);
}

function resultOf(end: EndData): NonNullable<AgentAnswer['result']> {
  switch (end.type) {
    case 'run_completed':
      return { reason: null, text: shortText(end.data.text, MAX_RESULT) };
    case 'run_failed':
      return { reason: end.data.reason, text: shortText(end.data.message, MAX_RESULT) };
    case 'run_cancelled':
      return { reason: null, text: shortText(end.data.reason, MAX_RESULT) };
  }
}
