import fs from 'node:fs';
import { isLocked } from '../../journal/index.ts';
import type { AgentData, AgentEvent, Budgets } from '../../protocol/index.ts';
import type { AgentStatus, AgentUse, ChildUse } from '../../tools/index.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import { type AgentState, newState } from '../state/state.ts';
import { readLog } from '../wal/read-log.ts';
import { runPaths } from '../wal/run-folder.ts';

/** What the log of a run says about it, without its secrets. */
export interface RunFacts {
  runId: string;
  walLocator: string;
  status: AgentStatus;
  /** Its answer, why it failed or was stopped, or what it waits for. */
  text: string;
  parent: AgentData<'run_started'>['parent'];
  budgets: Budgets;
  /** Names of the tools that it was started with. */
  tools: string[];
  /** Its own use, and that of its children as far as its log has it. */
  used: AgentUse;
  children: ChildUse[];
  /** Approvals and questions. */
  waitsFor: string[];
}

/** Null if there is no such run, or its process died before the log had its task. */
export async function readRunFacts(workspaceRoot: string, runId: string): Promise<RunFacts | null> {
  const paths = runPaths(workspaceRoot, runId);
  if (!fs.existsSync(paths.log)) return null;
  // Before the log: a process that ends meanwhile has written how.
  const isHeld = isLocked(paths.folder);
  const state = newState(runId);
  const asked = new Map<string, string>();
  let started: AgentData<'run_started'> | null = null;
  let hasTask = false;
  for await (const event of readLog(paths, { allowTorn: true })) {
    if (event.type === 'llm_response_delta') continue;
    applyEvent(state, event as ExactEvent, Date.parse(event.ts));
    if (event.type === 'run_started') started = event.data;
    if (event.type === 'run_forked' || (event.type === 'user_message' && event.data.origin === 'task')) hasTask = true;
    noteRequest(asked, event);
  }
  if (!started || !hasTask) return null;
  const waitsFor = state.status === 'waiting' ? openRequests(state) : [];
  const status = statusOf(state, isHeld);
  return {
    runId,
    walLocator: paths.log,
    status,
    text: textOf(state, status, waitsFor, asked),
    parent: started.parent,
    budgets: state.budgets,
    tools: started.tools.map(({ name }) => name),
    used: { steps: state.step, usage: state.usage, cost_usd: state.costUsd },
    children: [...state.children.values()],
    waitsFor,
  };
}

function statusOf({ end, status }: AgentState, isHeld: boolean): AgentStatus {
  if (status === 'waiting' || status === 'closed') return status;
  if (end) return status as AgentStatus;
  return isHeld ? 'running' : 'interrupted';
}

function textOf(
  { end, close }: AgentState,
  status: AgentStatus,
  waitsFor: readonly string[],
  asked: ReadonlyMap<string, string>,
): string {
  switch (end?.type) {
    case 'run_completed':
      return end.data.text;
    case 'run_failed':
      return end.data.message;
    case 'run_cancelled':
      return end.data.reason;
  }
  if (status === 'closed') return close ?? '';
  if (status === 'interrupted') return 'its process died; resume_agent continues it';
  if (status !== 'waiting') return '';
  return waitsFor.map((id) => `waiting for ${asked.get(id) ?? id}`).join('\n');
}

function noteRequest(asked: Map<string, string>, event: AgentEvent): void {
  if (event.type === 'approval_requested') {
    const { approval_id: id, summary } = event.data;
    asked.set(id, `approval ${id}: ${summary}`);
  } else if (event.type === 'question_asked') {
    const { question_id: id, questions } = event.data;
    asked.set(id, `an answer to ${id}: ${questions.map(({ text }) => text).join(' ')}`);
  }
}

function openRequests({ turn, compactionQuestion }: AgentState): string[] {
  const open = turn.filter(({ result }) => result === null);
  const requests = [...open.flatMap(({ approval, question }) => [approval, question]), compactionQuestion];
  return requests.flatMap((request) => (request && !request.answer ? request.id : []));
}
