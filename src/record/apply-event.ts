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

/**
 * The state of a run after one more event. Pure: the same events give the same state, in every process and wherever
 * they begin. An event that says nothing about the state, or whose type is unknown here, gives the same object back.
 * `head_seq` is not touched; the caller knows how far the state was folded.
 */
export function applyEvent(before: RunState | null, event: RaspEvent): RunState {
  const state = before ?? blankState(event);
  if (isEvent(event, 'lifecycle.run.requested')) return request(state, event);
  if (isEvent(event, 'lifecycle.run.status'))
    return event.source.stream === null ? enter(state, event) : hear(state, event);
  // Those of a parser say what the engine asked while it went on.
  if (isEvent(event, 'interaction.user_input.required') && event.source.stream === null) {
    const { interaction_id, prompt } = event.data;
    return { ...state, question: { interaction_id, prompt }, updated_at: event.ts };
  }
  if (isEvent(event, 'lifecycle.completion.state')) return complete(state, event);
  if (isEvent(event, 'agent.message.final')) return { ...state, message_seq: event.seq };
  if (isEvent(event, 'interaction.reply.accepted')) return remember(state, event);
  if (isEvent(event, 'diagnostic.runtime.warning') && event.source.stream === null) return warn(state, event);
  return state;
}

export function foldEvents(events: Iterable<RaspEvent>, from: RunState | null = null): RunState | null {
  let state = from;
  for (const event of events) state = applyEvent(state, event);
  return state;
}

/** Of a run whose first event is not its request: only what every event says is known. */
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

/** An attempt was asked for: the first one with everything that stays with the run. */
function request(
  state: RunState,
  { ts, data, source, attempt_number }: RaspEvent<'lifecycle.run.requested'>,
): RunState {
  const { command, cwd, mode, session_id, request: asked, priority } = data;
  // An attempt without a priority does not come from the queue.
  const { queue: _before, ...kept } = state;
  return {
    ...kept,
    engine: source.engine,
    command,
    cwd,
    workspace_root: cwd,
    ...(mode === undefined ? {} : { mode }),
    ...(asked === undefined ? {} : { request: asked }),
    ...(asked?.engine === undefined ? {} : { session_id: session_id ?? state.session_id ?? null }),
    ...(priority === undefined ? {} : { queue: { priority, at: ts } }),
    usage_tally: beginUsage(state.usage_tally ?? NO_USAGE, attempt_number, { resumed: session_id !== null }),
    message_seq: null,
    updated_at: ts,
  };
}

/** What tacho itself says of the run. */
function enter(state: RunState, { ts, data, attempt_number }: RaspEvent<'lifecycle.run.status'>): RunState {
  const { status } = data;
  if (!isRunStatus(status)) return state;
  return {
    ...state,
    status,
    attempt: status === 'running' ? attempt_number : state.attempt,
    question: status === 'waiting_user' ? (state.question ?? null) : null,
    times: status === state.status && state.times ? begun(state.times, status, ts) : passed(state, status, ts),
    updated_at: ts,
  };
}

/** What the engine says of itself. */
function hear(state: RunState, { ts, data, attempt_number }: RaspEvent<'lifecycle.run.status'>): RunState {
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

/** Recovery says that the recorder was lost, in every attempt that it completes. */
function warn(state: RunState, { data, attempt_number }: RaspEvent<'diagnostic.runtime.warning'>): RunState {
  const { recovered = [] } = state;
  if (data.code !== 'SUPERVISOR_LOST' || recovered.includes(attempt_number)) return state;
  return { ...state, recovered: [...recovered, attempt_number] };
}

/** A reply that came with a key gets the same answer when it comes again. */
function remember(state: RunState, event: RaspEvent<'interaction.reply.accepted'>): RunState {
  const { idempotency, interaction_id } = event.data;
  if (!idempotency) return state;
  const reply = { ...idempotency, interaction_id, attempt: event.attempt_number, accepted_at: event.ts };
  return { ...state, replies: [...(state.replies ?? []), reply] };
}

/** The time in the status that ends now is added up; that of a run that had ended counts for nothing. */
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
