import {
  asUnderstood,
  type FcmpMessage,
  isRaw,
  newerNotice,
  type RaspEvent,
  type RaspType,
  type RunStatus,
} from '../protocol/index.ts';
import { MARKER_IN_WORDS } from './done-marker.ts';
import { createEchoFilter } from './echo.ts';
import { createEmitter } from './emitter.ts';
import { createRunState } from './run-state.ts';
import { createToolCalls } from './tool-calls.ts';

/**
 * The fold from RASP to FCMP. Pure: the messages depend on the events pushed so far, and on the bytes they refer to, and
 * on nothing else, so a conversation folded live and one folded again from the first event are the same, message by
 * message.
 */
export interface Conversation {
  /**
   * Takes the run's next event; returns the messages it gives rise to, possibly of raw output that came earlier. `whole`
   * is the text of raw output whose event shows the beginning only: without it, it is not compared with messages.
   */
  push(event: RaspEvent, whole?: string): FcmpMessage[];
  /** Null if this is not enough to continue: in the middle of an attempt. */
  point(): ConversationPoint | null;
}

/** The state needed to continue a conversation without its earlier events. */
export interface ConversationPoint {
  /** How many messages there are. */
  messages: number;
  attempt: number;
  /** The attempt is over, so only events of a later one may follow. Otherwise it has only begun. */
  over: boolean;
  status: RunStatus | null;
  /** The message that names the session is there. */
  started: boolean;
  /** Types of events that were met and are not known here. */
  unknown: string[];
}

const MAX_UNKNOWN_TYPES = 100;

type Translations = { [T in RaspType]: (event: RaspEvent<T>, whole?: string) => void };

export function createConversation({ run_id, from }: { run_id: string; from?: ConversationPoint }): Conversation {
  const emitter = createEmitter(run_id, from?.messages);
  const { emit, take } = emitter;
  const echo = createEchoFilter(emit);
  const tools = createToolCalls(emit);
  const state = createRunState(emit, from?.status);
  let attempt = from?.attempt ?? 0;
  let over = from?.over ?? false;
  /** Nothing came that later messages of the attempt depend on. */
  let fresh = !over;
  let started = from?.started ?? false;
  /** Types of events that were met and are not known here. */
  const unknown = new Set<string>(from?.unknown);

  const translations: Translations = {
    // The prompt follows as a separate message.
    'lifecycle.run.requested': () => {},
    'lifecycle.run.status': (event) => {
      if (state.endsAttempt(event)) endAttempt();
      else if (event.data.status === 'waiting_approval') echo.release();
      state.change(event);
    },
    'lifecycle.run.skills': () => {},
    'lifecycle.completion.state': () => endAttempt(),
    'lifecycle.recording.checkpoint': () => {},
    'agent.message.delta': (event) => emit('assistant.message.delta', event.data, event),
    'agent.message.final': (event) => {
      const { message_id, text } = event.data;
      echo.addFinal(text);
      emit('assistant.message.final', { message_id, text, format: formatOf(text) }, event);
    },
    'agent.reasoning.summary': (event) => emit('assistant.reasoning', { text: event.data.text }, event),
    'agent.plan.updated': (event) => emit('assistant.plan', { items: event.data.items }, event),
    'interaction.user_input.required': (event) => {
      const { agent: _, ...question } = event.data;
      emit('user.input.required', question, event);
    },
    'interaction.reply.accepted': (event) => {
      const { interaction_id, text, source } = event.data;
      const isRepair = source === 'repair';
      // The first prompt and a repair turn answer no question, so they reply to nothing.
      if (source !== 'prompt' && !isRepair) emit('user.input.replied', { interaction_id, text }, event);
      const said = isRepair ? { text: text.replaceAll(MARKER_IN_WORDS, ''), by: 'tacho' as const } : { text };
      emit('user.message', { ...said, attempt: event.attempt_number }, event);
    },
    'interaction.approval.requested': (event) => emit('approval.required', event.data, event),
    'interaction.approval.decided': (event) => emit('approval.decided', event.data, event),
    'tool.call.started': (event) => tools.started(event),
    'tool.call.completed': (event) => tools.ended(event, 'completed'),
    'tool.call.failed': (event) => tools.ended(event, 'failed'),
    'artifact.created': (event) => emit('artifact.changed', { path: event.data.path, change: 'created' }, event),
    'artifact.modified': (event) => emit('artifact.changed', { path: event.data.path, change: 'modified' }, event),
    'artifact.deleted': (event) => emit('artifact.changed', { path: event.data.path, change: 'deleted' }, event),
    'diagnostic.parser.warning': (event) => emit('diagnostic.warning', event.data, event),
    'diagnostic.engine.error': (event) => {
      state.noteEngineError(event);
      emit('diagnostic.warning', event.data, event);
    },
    'diagnostic.runtime.warning': (event) => {
      state.noteRuntimeError(event.data);
      emit('diagnostic.warning', event.data, event);
    },
    'raw.stdout': echo.hold,
    'raw.stderr': echo.hold,
    'raw.pty': echo.hold,
  };

  function startAttempt(number: number): void {
    attempt = number;
    over = false;
    fresh = true;
    echo.startAttempt();
    tools.startAttempt();
    state.startAttempt();
  }

  function endAttempt(): void {
    over = true;
    echo.endAttempt();
  }

  /** A newer version of tacho wrote it. Once for each type: there may be as many as there are events. */
  function noticeUnknown(event_type: string, event: RaspEvent): void {
    if (unknown.has(event_type) || unknown.size >= MAX_UNKNOWN_TYPES) return;
    unknown.add(event_type);
    emit('diagnostic.warning', newerNotice(`event of type "${event_type}"`, { event_type }), event);
  }

  function startOnce(event: RaspEvent): void {
    const session_id = sessionOf(event);
    if (started || !session_id) return;
    started = true;
    emit('conversation.started', { session_id }, event);
  }

  return {
    push(next, whole) {
      const event = asUnderstood(next);
      if (event.attempt_number > attempt) startAttempt(event.attempt_number);
      startOnce(event);
      const { type, category } = event.event;
      if (category !== 'lifecycle' && category !== 'interaction') fresh = false;
      if (Object.hasOwn(translations, type))
        (translations[type] as (event: RaspEvent, whole?: string) => void)(event, whole);
      else noticeUnknown(type, event);
      return take();
    },
    point() {
      if (!fresh && !over) return null;
      return { messages: emitter.seq, attempt, over, status: state.status, started, unknown: [...unknown] };
    },
  };
}

/** Whether the fold compares the text of an event with messages: not that of a plain command, which has none. */
export function wantsWholeText(event: RaspEvent): boolean {
  return isRaw(event) && event.data.truncated === true && event.source.parser !== 'text';
}

/** The conversation of a run whose events are all there, or all there so far; `wholes`: whole texts, by event. */
export function foldConversation(
  events: Iterable<RaspEvent>,
  wholes: ReadonlyMap<RaspEvent, string> = new Map(),
): FcmpMessage[] {
  const messages: FcmpMessage[] = [];
  let conversation: Conversation | null = null;
  for (const event of events) {
    conversation ??= createConversation({ run_id: event.run_id });
    for (const message of conversation.push(event, wholes.get(event))) messages.push(message);
  }
  return messages;
}

function sessionOf(event: RaspEvent): string | undefined {
  const data = event.data as { session_id?: string };
  return (event.event.type === 'lifecycle.run.status' && data.session_id) || event.correlation?.session_id;
}

/** How a page shows an assistant's text: one JSON object or list as JSON, everything else as Markdown. */
function formatOf(text: string): 'json' | 'markdown' {
  const trimmed = text.trim();
  // A bare number or a quoted word is JSON too, but it is read as a sentence.
  if (!/^[{[]/.test(trimmed)) return 'markdown';
  try {
    JSON.parse(trimmed);
    return 'json';
  } catch {
    return 'markdown'; // Prose that begins with a bracket.
  }
}
