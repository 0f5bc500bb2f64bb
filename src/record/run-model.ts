import {
  type AskedQuestion,
  asUnderstood,
  beginUsage,
  type FcmpMessage,
  hasEnded,
  isEvent,
  NO_USAGE,
  type RaspEvent,
  type RunStatus,
  reportUsage,
  isWaiting as runWaits,
  type ToolKind,
  totalUsage,
  type Usage,
  type UsageTally,
} from '../protocol/index.ts';

/** Start and end of something; `to` is null until it ends. Milliseconds since the epoch. */
export interface Span {
  from: number;
  to: number | null;
}

export interface Attempt extends Span {
  number: number;
  firstSeq: number;
  lastSeq: number;
  /** True once its program was about to start; `from` is then that time instead of the time of the request. */
  started: boolean;
  /** How it ended, by the completion rules; null until then. */
  ending: { state: string; reason_code: string; seq: number } | null;
}

export interface ToolCall extends Span {
  call_id: string;
  name: string;
  kind: ToolKind | null;
  startedSeq: number;
  endedSeq: number | null;
  failed: boolean;
}

export interface ApprovalSpan extends Span {
  approval_id: string;
  summary: string;
  requestedSeq: number;
  decidedSeq: number | null;
  decision: string | null;
}

export interface Question {
  interaction_id: string;
  kind: string;
  prompt: string;
  options: readonly unknown[];
  questions: readonly AskedQuestion[];
  seq: number;
  repliedSeq: number | null;
}

/** A run, folded from its events. It only grows, and only `addEvent` changes it. */
export interface RunModel {
  /** All events in order. `seq` begins with 1, so event n is at index n − 1. */
  readonly events: RaspEvent[];
  /** The conversation, as folded by the server. */
  readonly messages: FcmpMessage[];
  /** Times are since the epoch; the first event of the run is its start. */
  start: number | null;
  end: number | null;
  status: RunStatus;
  readonly attempts: Attempt[];
  readonly calls: Map<string, ToolCall>;
  readonly approvals: Map<string, ApprovalSpan>;
  readonly questions: Question[];
  /** When the run waited for a user. */
  readonly waits: Span[];
  /** Numbers of the diagnostic events. */
  readonly diagnostics: number[];
  /** The sum over all attempts. */
  usage: Usage | null;
  usageTally: UsageTally;
  model: string | null;
}

export function emptyModel(): RunModel {
  return {
    events: [],
    messages: [],
    start: null,
    end: null,
    status: 'queued',
    attempts: [],
    calls: new Map(),
    approvals: new Map(),
    questions: [],
    waits: [],
    diagnostics: [],
    usage: null,
    usageTally: NO_USAGE,
    model: null,
  };
}

export function foldEvents(events: Iterable<RaspEvent>, messages: Iterable<FcmpMessage> = []): RunModel {
  const model = emptyModel();
  for (const event of events) addEvent(model, event);
  for (const message of messages) addMessage(model, message);
  return model;
}

export function addEvent(model: RunModel, next: RaspEvent): void {
  const event = asUnderstood(next);
  const time = Date.parse(event.ts);
  model.events.push(event);
  // Messages may have arrived before; the run began with its first event.
  if (event.seq === 1) model.start = time;
  model.end = Math.max(model.end ?? time, time);
  const attempt = attemptOf(model, event, time);
  attempt.lastSeq = event.seq;
  attempt.to = Math.max(attempt.to ?? time, time);
  if (isEvent(event, 'lifecycle.run.requested')) {
    const resumed = event.data.session_id !== null;
    model.usageTally = beginUsage(model.usageTally, event.attempt_number, { resumed });
  } else if (isEvent(event, 'lifecycle.run.status')) addStatus(model, attempt, event, time);
  else if (isEvent(event, 'lifecycle.completion.state')) {
    attempt.ending = { state: event.data.state, reason_code: event.data.reason_code, seq: event.seq };
  } else if (isEvent(event, 'tool.call.started')) {
    startCall(model, event.data, event.seq, time);
  } else if (isEvent(event, 'tool.call.completed') || isEvent(event, 'tool.call.failed')) {
    endCall(model, event.data, event.seq, time, event.event.type === 'tool.call.failed');
  } else if (isEvent(event, 'interaction.user_input.required')) {
    const { interaction_id, kind, prompt, options = [], questions = [] } = event.data;
    model.questions.push({ interaction_id, kind, prompt, options, questions, seq: event.seq, repliedSeq: null });
  } else if (isEvent(event, 'interaction.reply.accepted')) {
    const asked = model.questions.findLast((question) => question.interaction_id === event.data.interaction_id);
    if (asked) asked.repliedSeq = event.seq;
  } else if (isEvent(event, 'interaction.approval.requested')) {
    const { approval_id, summary } = event.data;
    const span = { from: time, to: null, requestedSeq: event.seq, decidedSeq: null, decision: null };
    model.approvals.set(approval_id, { approval_id, summary, ...span });
  } else if (isEvent(event, 'interaction.approval.decided')) {
    const asked = model.approvals.get(event.data.approval_id);
    if (asked) Object.assign(asked, { to: time, decidedSeq: event.seq, decision: event.data.decision });
  } else if (event.event.category === 'diagnostic') {
    model.diagnostics.push(event.seq);
  }
}

export function addMessage(model: RunModel, message: FcmpMessage): void {
  model.messages.push(message);
  model.start ??= Date.parse(message.ts);
}

export function isTerminal(status: RunStatus): boolean {
  return hasEnded({ status });
}

export function isWaiting(status: RunStatus): boolean {
  return runWaits({ status });
}

/** The event with this number; undefined if it does not exist yet. */
export function eventAt(model: RunModel, seq: number): RaspEvent | undefined {
  return model.events[seq - 1];
}

/** Milliseconds since the start of the run. */
export function timeOf(model: RunModel, event: Pick<RaspEvent, 'ts'>): number {
  return Math.max(0, Date.parse(event.ts) - (model.start ?? 0));
}

/** Duration of the run so far, in milliseconds. */
export function lengthOf(model: RunModel): number {
  return model.start === null || model.end === null ? 0 : model.end - model.start;
}

/**
 * The last event at or before a time; 0 if there is none. Event times hardly ever go back, so this is a binary search.
 */
export function seqAt(model: RunModel, time: number): number {
  let low = 0;
  let high = model.events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (timeOf(model, model.events[middle]!) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The question that is waiting for an answer. */
export function openQuestion({ questions }: RunModel): Question | null {
  const last = questions.at(-1);
  return last && last.repliedSeq === null ? last : null;
}

function attemptOf(model: RunModel, { attempt_number, seq }: RaspEvent, time: number): Attempt {
  const known = model.attempts.findLast(({ number }) => number === attempt_number);
  if (known) return known;
  const attempt: Attempt = {
    number: attempt_number,
    from: time,
    to: null,
    firstSeq: seq,
    lastSeq: seq,
    started: false,
    ending: null,
  };
  model.attempts.push(attempt);
  return attempt;
}

function addStatus(
  model: RunModel,
  attempt: Attempt,
  { data, source }: RaspEvent<'lifecycle.run.status'>,
  time: number,
): void {
  const { status, usage, session_usage, model: name } = data;
  if (usage || session_usage) {
    const tally = beginUsage(model.usageTally, attempt.number, { resumed: true });
    model.usageTally = reportUsage(tally, data);
    model.usage = totalUsage(model.usageTally);
  }
  if (name) model.model = name;
  if (status === 'running' && !attempt.started && source.stream === null) {
    attempt.started = true;
    attempt.from = time;
  }
  if (status === model.status) return;
  const wait = model.waits.at(-1);
  if (wait && wait.to === null && !isWaiting(status)) wait.to = time;
  if (isWaiting(status) && (wait === undefined || wait.to !== null)) model.waits.push({ from: time, to: null });
  model.status = status;
}

type CallData = { call_id: string; name: string; kind?: ToolKind | undefined };

function startCall(model: RunModel, { call_id, name, kind }: CallData, seq: number, from: number): void {
  const call = { call_id, name, kind: kind ?? null, from, to: null, startedSeq: seq, endedSeq: null, failed: false };
  model.calls.set(call_id, call);
}

/** Engines that report a call only after its end give no start time. */
function endCall(model: RunModel, data: CallData, seq: number, to: number, failed: boolean): void {
  if (!model.calls.has(data.call_id)) startCall(model, data, seq, to);
  Object.assign(model.calls.get(data.call_id)!, { to, endedSeq: seq, failed });
}
