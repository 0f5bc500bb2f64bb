import {
  beginUsage,
  hasEnded,
  isEvent,
  isRunStatus,
  isWaiting,
  NO_USAGE,
  type RaspData,
  type RaspEvent,
  type RunState,
  type RunStatus,
  type RunTimes,
  reportUsage,
  totalUsage,
} from '../protocol/index.ts';

const MAX_TITLE = 200;
/** The program keeps running: it may have asked something else before this was noticed. */
const KEEPS_QUESTION: ReadonlySet<unknown> = new Set(['approval_requested', 'approval_decided', 'question_answered']);

/**
 * The state of a run after one more event. Pure: the same events give the same state in every process, from any
 * starting point. An event that does not affect the state, or has an unknown type, returns the same object. `head_seq`
 * is not changed; the caller knows how far the state was folded.
 */
export function applyEvent(before: RunState | null, event: RaspEvent): RunState {
  const state = before ?? blankState(event);
  if (isEvent(event, 'lifecycle.run.requested')) return request(state, event);
  if (isEvent(event, 'lifecycle.run.status'))
    return event.source.stream === null ? enter(state, event) : applyEngineStatus(state, event);
  if (isEvent(event, 'interaction.user_input.required')) return ask(state, event);
  if (isEvent(event, 'lifecycle.completion.state')) return complete(state, event);
  if (isEvent(event, 'agent.message.final')) return { ...state, message_seq: event.seq };
  if (isEvent(event, 'interaction.reply.accepted'))
    return noteRepair(remember(titled(answer(state, event), event), event), event);
  if (isEvent(event, 'diagnostic.runtime.warning') && event.source.stream === null) return warn(state, event);
  return state;
}

export function foldEvents(events: Iterable<RaspEvent>, from: RunState | null = null): RunState | null {
  let state = from;
  for (const event of events) state = applyEvent(state, event);
  return state;
}

/** For a run whose first event is not its request: only the facts that every event has are known. */
function blankState({ run_id, ts, source }: RaspEvent): RunState {
  return {
    run_id,
    handle: run_id.slice(-8),
    engine: source.engine,
    status: 'queued',
    attempt: 0,
    command: [source.engine],
    question: null,
    usage: null,
    usage_tally: NO_USAGE,
    times: { started_at: null, since: ts, queued_ms: 0, working_ms: 0, waiting_ms: 0 },
    cwd: '',
    workspace_root: '',
    created_at: ts,
    updated_at: ts,
    last: null,
  };
}

/** An attempt was requested; the first one sets everything that stays with the run. */
function request(
  state: RunState,
  { ts, data, source, attempt_number }: RaspEvent<'lifecycle.run.requested'>,
): RunState {
  const { command, cwd, mode, session_id, request: asked, reading, priority, watched } = data;
  // An attempt without a priority does not come from the queue; the next one may be of another engine.
  const { queue: _before, reading: _earlier, ...kept } = state;
  return {
    ...kept,
    engine: source.engine,
    command,
    cwd,
    workspace_root: cwd,
    ...(mode === undefined ? {} : { mode }),
    ...(asked === undefined ? {} : { request: asked }),
    ...(reading === undefined ? {} : { reading }),
    ...(asked?.engine === undefined ? {} : { session_id: session_id ?? state.session_id ?? null }),
    ...(watched === undefined ? {} : { source: { kind: 'watched' as const, path: watched.path } }),
    ...(priority === undefined ? {} : { queue: { priority, at: ts } }),
    usage_tally: beginUsage(state.usage_tally ?? NO_USAGE, attempt_number, { resumed: session_id !== null }),
    message_seq: null,
    updated_at: ts,
  };
}

/** A status reported by tacho itself. */
function enter(state: RunState, { ts, data, attempt_number }: RaspEvent<'lifecycle.run.status'>): RunState {
  const { status } = data;
  if (!isRunStatus(status)) return state;
  return {
    ...state,
    status,
    attempt: status === 'running' ? attempt_number : state.attempt,
    question: status === 'waiting_user' || KEEPS_QUESTION.has(data.reason_code) ? (state.question ?? null) : null,
    times: status === state.status && state.times ? begun(state.times, status, ts) : passed(state, status, ts),
    updated_at: ts,
  };
}

/** A status reported by the engine. */
function applyEngineStatus(state: RunState, { ts, data, attempt_number }: RaspEvent<'lifecycle.run.status'>): RunState {
  const { session_id, usage, session_usage } = data;
  const news = (session_id !== undefined && session_id !== state.session_id) || usage || session_usage;
  if (!news) return state;
  const attempt = beginUsage(state.usage_tally ?? NO_USAGE, attempt_number, { resumed: true });
  const usage_tally = reportUsage(attempt, { usage, session_usage });
  return {
    ...state,
    session_id: session_id ?? state.session_id ?? null,
    usage_tally,
    usage: totalUsage(usage_tally),
    updated_at: ts,
  };
}

/**
 * A question counts once the run waits with it. That of a parser is there before; one inside a tool call is that of a
 * child agent, not of the run.
 */
function ask(
  state: RunState,
  { data, ts, source, correlation }: RaspEvent<'interaction.user_input.required'>,
): RunState {
  if (source.stream !== null && correlation?.parent !== undefined) return state;
  const { interaction_id, prompt, kind, questions, agent } = data;
  const parts = questions === undefined ? {} : { kind, questions, ...(agent === undefined ? {} : { agent }) };
  return { ...state, question: { interaction_id, prompt, ...parts }, updated_at: ts };
}

/** An answer that the log of the engine has. */
function answer(state: RunState, { data, source }: RaspEvent<'interaction.reply.accepted'>): RunState {
  if (source.stream === null || state.question?.interaction_id !== data.interaction_id) return state;
  return { ...state, question: null };
}

function complete(state: RunState, event: RaspEvent<'lifecycle.completion.state'>): RunState {
  const {
    state: how,
    reason_code,
    exit_code = null,
    signal = null,
  } = event.data as RaspData<'lifecycle.completion.state'>;
  const last = { attempt: event.attempt_number, exit_code, signal, state: how, reason_code, ended_at: event.ts };
  return { ...state, attempt: Math.max(state.attempt, event.attempt_number), last, updated_at: event.ts };
}

/** Recovery reports a lost recorder in every attempt that it completes. */
function warn(state: RunState, { data, attempt_number }: RaspEvent<'diagnostic.runtime.warning'>): RunState {
  const { recovered = [] } = state;
  if (data.code !== 'SUPERVISOR_LOST' || recovered.includes(attempt_number)) return state;
  return { ...state, recovered: [...recovered, attempt_number] };
}

/** A watched run is named by the first message in its session. */
function titled(state: RunState, { data }: RaspEvent<'interaction.reply.accepted'>): RunState {
  if (state.source === undefined || state.request !== undefined) return state;
  return { ...state, request: data.text.slice(0, MAX_TITLE) };
}

/** A reply with a key gets the same answer when it is repeated. */
function remember(state: RunState, event: RaspEvent<'interaction.reply.accepted'>): RunState {
  const { idempotency, interaction_id } = event.data;
  if (!idempotency) return state;
  const reply = { ...idempotency, interaction_id, attempt: event.attempt_number, accepted_at: event.ts };
  return { ...state, replies: [...(state.replies ?? []), reply] };
}

/** A run gets one repair turn. */
function noteRepair(state: RunState, { data, attempt_number }: RaspEvent<'interaction.reply.accepted'>): RunState {
  return data.source === 'repair' ? { ...state, repair_attempt: attempt_number } : state;
}

/** Adds the time in the status that ends now; time after the end of the run does not count. */
function passed({ status, times, created_at }: RunState, next: RunStatus, ts: string): RunTimes {
  const known = times ?? { started_at: null, since: created_at, queued_ms: 0, working_ms: 0, waiting_ms: 0 };
  const ms = Math.max(0, Date.parse(ts) - Date.parse(known.since));
  const field = hasEnded({ status })
    ? null
    : isWaiting({ status })
      ? 'waiting_ms'
      : status === 'queued'
        ? 'queued_ms'
        : 'working_ms';
  const counted = field === null ? known : { ...known, [field]: known[field] + ms };
  return begun({ ...counted, since: ts }, next, ts);
}

function begun(times: RunTimes, status: RunStatus, ts: string): RunTimes {
  return status === 'running' && times.started_at === null ? { ...times, started_at: ts } : times;
}
