import type { AgentApproval, AgentCall, AgentEvent, AgentQuestion, AgentStep } from '../../protocol/index.ts';
import { applyEvent, type ExactEvent } from '../state/apply-event.ts';
import { type AgentState, newState } from '../state/state.ts';
import type { LinePlace } from './log-lines.ts';
import { type PlanFacts, planIn } from './plan.ts';
import { type PromptExtent, PromptItems } from './prompt-items.ts';
import { shortJson, shortText } from './short-text.ts';

const MAX_TEXT = 400;
const MAX_TASK = 2000;
/** Beyond these a log is not shown whole: it would fill the memory of a server. */
const MAX_STEPS = 20_000;
const MAX_ITEMS = 200_000;
const MAX_CALLS = 500;
const MAX_SOURCES = 50;
const MAX_CHOICES = 100;

/** A step, and the messages that its prompt had. */
export interface StepFacts extends AgentStep {
  extent: PromptExtent;
}

/** What a log says about its run, folded event by event. All texts are as logged, and cut: the log has the whole. */
export class FactsFold {
  readonly #runId: string;
  readonly state: AgentState;
  readonly steps: StepFacts[] = [];
  /** By their ids, in the order of the requests. */
  readonly approvals = new Map<string, AgentApproval>();
  readonly questions = new Map<string, AgentQuestion>();
  readonly prompt = new PromptItems();
  plan: PlanFacts | null = null;
  task = '';
  model = '';
  resumed = 0;
  startedAt: string | null = null;
  updatedAt: string | null = null;
  lastSeq = 0;
  parent: { run_id: string; call_id: string } | null = null;
  forkedFrom: { run_id: string; seq: number; locator: string } | null = null;
  #note: AgentStep['note'] = null;

  constructor(runId: string) {
    this.#runId = runId;
    this.state = newState(runId);
  }

  get isFull(): boolean {
    return this.steps.length >= MAX_STEPS || this.prompt.size >= MAX_ITEMS;
  }

  /** An event whose content is not needed. */
  skipped(seq: number, ts: string): void {
    this.#seen(seq, ts);
  }

  event(event: AgentEvent, place: LinePlace): void {
    this.prompt.before(event, place);
    const { exact: _, ...data } = event.data as { exact?: string };
    applyEvent(this.state, { ts: event.ts, type: event.type, data } as ExactEvent, Date.parse(event.ts));
    this.prompt.after(event, place, this.state);
    this.#note = event.type === 'history_trimmed' ? 'trimmed' : this.#note;
    this.#note = event.type === 'history_compacted' ? 'compacted' : this.#note;
    this.#take(event);
    this.#seen(event.seq, event.ts);
  }

  #seen(seq: number, ts: string): void {
    this.lastSeq = seq;
    this.startedAt ??= ts;
    this.updatedAt = ts;
    const step = this.steps.at(-1);
    if (!step) return;
    step.last_seq = seq;
    step.ended_at = ts;
  }

  #take(event: AgentEvent): void {
    switch (event.type) {
      case 'run_started': {
        const { parent, forked_from: from } = event.data;
        this.parent = parent && { run_id: parent.run_id, call_id: parent.call_id };
        this.forkedFrom = from && { run_id: from.run_id, seq: from.seq, locator: from.wal_locator };
        this.model = event.data.model;
        return;
      }
      case 'run_resumed':
        this.resumed++;
        this.model = event.data.model;
        return;
      case 'user_message':
        if (event.data.origin === 'task') this.task = shortText(event.data.text, MAX_TASK);
        return;
      case 'prompt_compiled':
        this.#beginStep(event);
        return;
      case 'llm_request_started': {
        const step = this.#step(event.data.step);
        if (step) step.tries++;
        if (step && event.data.purpose === 'step') step.model = event.data.model;
        return;
      }
      case 'llm_response_completed':
        this.#takeResponse(event);
        return;
      case 'tool_call_requested':
      case 'tool_call_started':
      case 'tool_call_finished':
        this.#takeCall(event);
        return;
      case 'approval_requested':
      case 'approval_decided':
        this.#takeApproval(event);
        return;
      case 'question_asked':
      case 'question_answered':
        this.#takeQuestion(event);
    }
  }

  #beginStep({ seq, ts, data }: AgentEvent<'prompt_compiled'>): void {
    const { step, messages, chars } = data;
    const sources = [...new Set(data.sources.map(({ source }) => shortText(source, MAX_TEXT)))].slice(0, MAX_SOURCES);
    const prompt = { messages, chars, sources };
    const extent = this.prompt.extent();
    const note = this.#note;
    this.#note = null;
    const known = this.#step(step);
    // A step whose process died begins anew, with its number.
    if (known) Object.assign(known, { prompt, extent, note: note ?? known.note });
    else {
      this.steps.push({
        step,
        model: this.model,
        started_at: ts,
        ended_at: ts,
        first_seq: seq,
        last_seq: seq,
        tries: 0,
        finish_reason: null,
        text: '',
        usage: null,
        cost_usd: null,
        prompt,
        note,
        calls: [],
        extent,
      });
    }
  }

  #takeResponse({ data }: AgentEvent<'llm_response_completed'>): void {
    const step = this.#step(data.step);
    if (!step) return;
    const said = data.parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
    Object.assign(step, { finish_reason: data.finish_reason, usage: data.usage, cost_usd: data.cost_usd });
    step.text = shortText(said, MAX_TEXT);
    const calls = data.parts.filter((part) => part.type === 'tool_call').slice(0, MAX_CALLS);
    step.calls = calls.map((part) => newCall(part.call_id, part.name, part.arguments));
  }

  #takeCall(event: AgentEvent<'tool_call_requested' | 'tool_call_started' | 'tool_call_finished'>): void {
    const call = this.#call(event.data.step, event.data.call_id);
    if (!call) return;
    switch (event.type) {
      case 'tool_call_requested': {
        const { verdict, arguments: given } = event.data;
        call.seq = event.seq;
        call.arguments = shortJson(given, MAX_TEXT);
        call.verdict = verdict && {
          decision: verdict.decision,
          reason: shortText(verdict.reason, MAX_TEXT),
          rule: verdict.rule,
        };
        return;
      }
      case 'tool_call_started':
        call.started_at = event.ts;
        return;
      case 'tool_call_finished': {
        const { result, files = [] } = event.data;
        const { ok, error_kind, exit_code, duration_ms } = result;
        Object.assign(call, { ok, error_kind, exit_code, duration_ms, files: files.length });
        call.ended_at = event.ts;
        call.finished_seq = event.seq;
        if (call.name === 'update_plan' && ok) this.plan = planIn(result.data, event) ?? this.plan;
      }
    }
  }

  #takeApproval(event: AgentEvent<'approval_requested' | 'approval_decided'>): void {
    if (event.type === 'approval_requested') {
      const { approval_id, call_id, tool, summary, reason } = event.data;
      const { step } = this.state;
      this.approvals.set(approval_id, {
        approval_id,
        agent: this.#runId,
        call_id,
        tool,
        summary: shortText(summary, MAX_TASK),
        reason: shortText(reason, MAX_TEXT),
        step,
        seq: event.seq,
        requested_at: event.ts,
        decision: null,
        decided_at: null,
        decided_reason: null,
        by: null,
      });
      const call = this.#call(step, call_id);
      if (call) call.approval_id = approval_id;
      return;
    }
    const { approval_id, decision, reason, by } = event.data;
    const asked = this.approvals.get(approval_id);
    if (!asked) return;
    const decided_reason = reason === null ? null : shortText(reason, MAX_TEXT);
    Object.assign(asked, { decision, decided_at: event.ts, decided_reason, by });
    const call = this.#call(asked.step, asked.call_id);
    if (call) call.decision = decision;
  }

  #takeQuestion(event: AgentEvent<'question_asked' | 'question_answered'>): void {
    if (event.type === 'question_asked') {
      const { question_id, call_id, questions } = event.data;
      const { step } = this.state;
      const answer = { answers: null, answered_at: null, by: null };
      const agent = this.#runId;
      const asked = { question_id, agent, call_id, step, seq: event.seq, asked_at: event.ts, ...answer };
      this.questions.set(question_id, { ...asked, questions: questions.map(shortQuestion) });
      const call = this.#call(step, call_id);
      if (call) call.question_id = question_id;
      return;
    }
    const { question_id, answers, by } = event.data;
    const asked = this.questions.get(question_id);
    if (!asked) return;
    const given = Object.entries(answers).map(([id, text]) => [id, shortText(text, MAX_TASK)] as const);
    Object.assign(asked, { answers: Object.fromEntries(given), answered_at: event.ts, by });
  }

  /** Steps are numbered from 1; a fork or a damaged log may begin later. */
  #step(number: number): StepFacts | undefined {
    const last = this.steps.at(-1);
    return last?.step === number ? last : this.steps.findLast(({ step }) => step === number);
  }

  #call(step: number, callId: string): AgentCall | undefined {
    return this.#step(step)?.calls.find(({ call_id }) => call_id === callId);
  }
}

type Question = AgentQuestion['questions'][number];

function shortQuestion({ text, choices, ...question }: Question): Question {
  return { ...question, text: shortText(text, MAX_TASK), choices: choices.slice(0, MAX_CHOICES) };
}

function newCall(call_id: string, name: string, given: unknown): AgentCall {
  return {
    call_id,
    name,
    arguments: shortJson(given, MAX_TEXT),
    seq: null,
    verdict: null,
    approval_id: null,
    decision: null,
    question_id: null,
    started_at: null,
    ended_at: null,
    finished_seq: null,
    ok: null,
    error_kind: null,
    exit_code: null,
    duration_ms: null,
    files: 0,
    child: null,
  };
}
