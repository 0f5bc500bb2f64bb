import type { AgentData, AgentEventType, Usage } from '../../protocol/index.ts';
import type { LoopSettings } from '../settings.ts';
import { addUsage } from './add-usage.ts';
import { dropRequest } from './drop-request.ts';
import { versionAfter } from './file-version.ts';
import { absorbQueued, compactItems, dropItems, pushItem } from './history.ts';
import { assistantItem, resultsItem, userItem } from './messages.ts';
import { moveWorkspace } from './move-workspace.ts';
import { acceptSpec, applySources } from './source-specs.ts';
import { type AgentState, type CallState, COMPACTION_CALL, hasOpenCalls, type ToolCallPart } from './state.ts';

/** An event with its exact data, as the vault has it. */
export type ExactEvent = { [K in AgentEventType]: { ts: string; type: K; data: AgentData<K> } }[AgentEventType];

/** The one place where state changes: live, resumed and replayed runs go through it alike. */
export function applyEvent(state: AgentState, event: ExactEvent, at: number): void {
  const isBreak = event.type === 'run_resumed' || event.type === 'run_forked';
  if (state.lastAt > 0 && !isBreak) state.activeMs += Math.max(0, at - state.lastAt);
  state.lastAt = at;
  switch (event.type) {
    case 'run_started':
      state.status = 'running';
      state.sessionId = event.data.session_id;
      state.budgets = event.data.budgets;
      state.settings = event.data.settings as unknown as LoopSettings;
      state.workspace = event.data.workspace;
      applySources(state, event.data.sources);
      state.isChild = event.data.parent !== null;
      return;
    case 'run_forked':
      state.isFork = true;
      state.isChild = false;
      moveWorkspace(state, event.data.workspace);
      // Whatever ended the other run is over.
      state.cancel = null;
      state.close = null;
      state.exhausted = null;
      state.guard = null;
      state.idleSteps = 0;
      // An answer that comes later is for the other run.
      if (!state.compactionQuestion?.answer) state.compactionQuestion = null;
      for (const call of state.turn) if (!call.question?.answer) call.question = null;
      return;
    case 'run_resumed':
      state.status = 'running';
      state.close = null;
      // Approvals for a session end with it.
      if (state.sessionId !== event.data.session_id) state.sessionApprovals.clear();
      state.sessionId = event.data.session_id;
      moveWorkspace(state, event.data.workspace ?? state.workspace);
      applySources(state, event.data.sources);
      return;
    case 'user_message':
      if (event.data.origin === 'send') {
        state.queued.push(event.data);
        if (event.data.interrupt) interrupt(state);
        return;
      }
      pushItem(state, userItem(event.data.text, event.data.origin, { pinned: event.data.origin === 'task' }));
      state.turnEnded = false;
      return;
    case 'history_message': {
      const { role, text } = event.data;
      pushItem(state, role === 'user' ? userItem(text, 'history') : assistantItem([{ type: 'text', text }], 0));
      return;
    }
    case 'prompt_compiled':
      absorbQueued(state);
      state.isInterrupted = false;
      state.step = event.data.step;
      state.turnEnded = false;
      state.head = event.data.system ?? state.head;
      state.digested = state.history.length;
      state.prefixDigest = event.data.prefix_digest;
      state.request = { tries: 0, isOpen: false, compacted: state.request?.compacted ?? false };
      return;
    case 'history_trimmed':
      absorbQueued(state);
      dropItems(state, event.data.dropped_messages);
      return;
    case 'history_compacted':
      compactItems(state, event.data.dropped_messages, event.data.summary);
      state.request = { tries: 0, isOpen: false, compacted: true };
      state.overflow = null;
      state.compactionQuestion = null;
      if (event.data.usage) noteUsage(state, event.data.usage, event.data.cost_usd);
      return;
    case 'llm_request_started':
      state.request = { tries: event.data.try, isOpen: true, compacted: state.request?.compacted ?? false };
      return;
    case 'llm_response_delta':
      return;
    case 'llm_request_failed':
      if (state.request) state.request.isOpen = false;
      if (event.data.error.kind === 'context_overflow') state.overflow = event.data.error;
      return;
    case 'llm_response_completed':
      applyResponse(state, event.data);
      return;
    case 'hook_decided':
      if (event.data.phase === 'before' && event.data.outcome === 'changed')
        callOf(state, event.data.call_id).changed = { value: event.data.value };
      return;
    case 'tool_call_requested':
      callOf(state, event.data.call_id).requested = event.data;
      return;
    case 'approval_requested':
      state.approvals++;
      callOf(state, event.data.call_id).approval = {
        id: event.data.approval_id,
        digest: event.data.digest,
        answer: null,
      };
      return;
    case 'approval_decided':
      applyDecision(state, event.data);
      return;
    case 'question_asked':
      state.questions++;
      applyQuestion(state, event.data);
      return;
    case 'question_answered': {
      const asked = [state.compactionQuestion, ...state.turn.map((call) => call.question)];
      const question = asked.find((one) => one?.id === event.data.question_id);
      if (question) question.answer = { answers: event.data.answers, by: event.data.by };
      return;
    }
    case 'tool_call_started':
      callOf(state, event.data.call_id).started = true;
      return;
    case 'tool_call_finished':
      applyResult(state, event.data);
      return;
    case 'guard_tripped':
      state.guard = event.data;
      return;
    case 'budget_exhausted':
      state.exhausted ??= event.data;
      return;
    case 'output_rejected':
      state.repairs++;
      return;
    case 'cancel_requested':
      state.cancel ??= event.data.reason;
      return;
    case 'close_requested':
      state.close ??= event.data.reason;
      return;
    case 'child_charged':
      state.children.set(event.data.run_id, event.data);
      return;
    case 'run_waiting':
      state.status = state.close === null ? 'waiting' : 'closed';
      return;
    case 'run_completed':
      state.status = 'completed';
      state.end = event;
      return;
    case 'run_failed':
      state.status = 'failed';
      state.end = event;
      return;
    case 'run_cancelled':
      state.status = 'cancelled';
      state.end = event;
      return;
  }
}

/** The request that is under way would not have the message. */
function interrupt(state: AgentState): void {
  state.isInterrupted = true;
  dropRequest(state);
}

function applyResponse(state: AgentState, data: AgentData<'llm_response_completed'>): void {
  state.request = null;
  if (data.usage) noteUsage(state, data.usage, data.cost_usd);
  pushItem(state, assistantItem(data.parts, data.step));
  const calls = data.parts.filter((part): part is ToolCallPart => part.type === 'tool_call');
  state.turn = calls.map(newCall);
  state.turnEnded = calls.length === 0;
  state.lastFinish = data.finish_reason;
  state.cutOff = data.finish_reason === 'length' ? state.cutOff + 1 : 0;
  state.lastText = data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

function applyQuestion(state: AgentState, { question_id, call_id }: AgentData<'question_asked'>): void {
  const question = { id: question_id, answer: null };
  if (call_id === COMPACTION_CALL) state.compactionQuestion = question;
  else callOf(state, call_id).question = question;
}

function newCall(part: ToolCallPart): CallState {
  return { part, requested: null, changed: null, approval: null, question: null, started: false, result: null };
}

function applyDecision(state: AgentState, data: AgentData<'approval_decided'>): void {
  const call = state.turn.find(({ approval }) => approval?.id === data.approval_id);
  if (!call?.approval) return;
  const { approval_id: _, digest, ...answer } = data;
  call.approval.answer = answer;
  if (data.decision.startsWith('approved')) acceptSpec(state, call);
  if (data.decision === 'approved_for_session') state.sessionApprovals.add(digest);
  if (data.decision === 'approved_with_rule' && data.rule) state.addedRules.push(data.rule);
}

function applyResult(state: AgentState, { call_id, result, step, files = [] }: AgentData<'tool_call_finished'>): void {
  for (const file of files) state.files.set(file.path, versionAfter(file));
  const call = callOf(state, call_id);
  call.result = result;
  if (result.error_kind === 'denied') {
    const digest = call.requested?.digest ?? '';
    state.denials.set(digest, (state.denials.get(digest) ?? 0) + 1);
  }
  if (hasOpenCalls(state)) return;
  pushItem(state, resultsItem(state.turn, step));
  noteProgress(state);
}

/** A turn that repeats calls with the results they had before brings nothing new. */
function noteProgress(state: AgentState): void {
  let isNew = false;
  for (const { requested, result } of state.turn) {
    const print = `${requested?.digest} ${result!.ok} ${result!.stdout.length} ${result!.stdout.slice(0, 200)} ${result!.stderr.slice(0, 200)}`;
    if (!state.seenCalls.has(print)) isNew = true;
    state.seenCalls.add(print);
  }
  // Old ones go first; a loop that takes this many different calls is not what the guard is for.
  for (const print of state.seenCalls) {
    if (state.seenCalls.size <= 256) break;
    state.seenCalls.delete(print);
  }
  state.idleSteps = isNew ? 0 : state.idleSteps + 1;
}

function noteUsage(state: AgentState, usage: Usage, cost: number | null): void {
  state.usage = addUsage(state.usage, usage);
  if (cost !== null) state.costUsd = (state.costUsd ?? 0) + cost;
}

function callOf(state: AgentState, callId: string): CallState {
  const call = state.turn.find(({ part }) => part.call_id === callId);
  if (!call) throw new Error(`the event names the call ${callId}, which is not part of the turn`);
  return call;
}
