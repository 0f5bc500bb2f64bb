import { describeError } from '../../classify-error.ts';
import { fieldOf, integerOf, isObject, type JsonObject, textOf } from '../../json-value.ts';
import type { Surface } from '../../line-parser.ts';
import type { EventReader, Misread } from '../../ndjson-parser.ts';
import type { Unit } from '../../unit.ts';
import { usageOf } from '../usage.ts';
import { createRolloutCalls } from './calls.ts';
import { createSaidTwice, type Source } from './said-twice.ts';
import { textsOf } from './tool-items.ts';

/** Entries that only prepare or accompany the work. */
const QUIET_ENTRIES = new Set([
  'compacted',
  'world_state',
  'token_usage_record',
  'ghost_snapshot',
  'inter_agent_communication',
]);
const CALLS = new Set(['function_call', 'custom_tool_call', 'local_shell_call']);
const OUTPUTS = new Set(['function_call_output', 'custom_tool_call_output']);
const SERVED = new Set(['web_search_call', 'image_generation_call', 'tool_search_call']);

/** The entries of a rollout: what was told to people (`event_msg`) and to the model (`response_item`), often both. */
export function readRollout({ draft }: Surface): EventReader {
  const isFirst = createSaidTwice();
  const calls = createRolloutCalls(draft);
  let model: string | null = null;
  let turnsAreMarked = false;
  /** The entry with the assistant's last word, unless something followed. */
  let lastWord: Unit | null = null;

  function event(entry: JsonObject, unit: Unit): Misread | null {
    const type = textOf(entry.type) ?? '';
    const { payload } = entry;
    if (!isObject(payload)) return { event_type: type, problem: type === '' ? 'unknown type' : 'unexpected shape' };
    switch (type) {
      case 'session_meta':
        return readMeta(payload, unit);
      case 'turn_context':
        readModel(textOf(payload.model), unit);
        return null;
      case 'event_msg':
        return readEvent(payload, unit);
      case 'response_item':
        return readResponse(payload, unit);
      default:
        if (!QUIET_ENTRIES.has(type)) return { event_type: type, problem: 'unknown type' };
        draft.phase(type, unit);
        return null;
    }
  }

  function readMeta(payload: JsonObject, unit: Unit): Misread | null {
    const id = textOf(payload.id) ?? textOf(payload.session_id);
    if (id === null) return { event_type: 'session_meta', problem: 'unexpected shape' };
    // A session that continues another one begins with the entries of that one.
    if (draft.session === null) draft.openSession(id, 'session_meta', unit);
    else draft.phase('session_meta', unit);
    return null;
  }

  function readModel(told: string | null, unit: Unit): void {
    if (told === null || told === model) {
      draft.phase('turn_context', unit);
      return;
    }
    model = told;
    draft.event('lifecycle.run.status', { status: 'running', phase: 'turn_context', model }, unit);
  }

  function readEvent(payload: JsonObject, unit: Unit): Misread | null {
    const type = textOf(payload.type) ?? '';
    switch (type) {
      case 'user_message':
        return ask(textOf(payload.message), type, unit);
      case 'agent_message':
        return say('event', textOf(payload.message), unit, null);
      case 'agent_reasoning':
      case 'agent_reasoning_raw_content':
        return think('event', textsOf(payload.text), unit);
      case 'item_completed':
        return isObject(payload.item) ? readItem(payload.item, unit) : drifted(type);
      case 'token_count': {
        const usage = usageOf(fieldOf(payload, 'info', 'total_token_usage'));
        draft.phase(type, unit, usage ? { session_usage: usage } : {});
        return null;
      }
      case 'task_started':
      case 'turn_started':
        turnsAreMarked = true;
        lastWord = null;
        draft.phase('task_started', unit);
        return null;
      case 'task_complete':
      case 'turn_complete':
        return endTurn(payload, unit);
      case 'turn_aborted':
        lastWord = null;
        draft.error('ENGINE_ERROR', `the turn was stopped: ${textOf(payload.reason) ?? 'no reason given'}`, unit, {
          severity: 'warning',
        });
        draft.phase(type, unit);
        return null;
      case 'error':
        tellError(payload, unit);
        draft.phase(type, unit);
        return null;
      case 'stream_error':
        draft.error('ENGINE_RETRY', textOf(payload.message) ?? 'the request to the model failed', unit);
        return null;
      default:
        // Events that codex shows on its screen; a new one is no more than that.
        draft.phase(`event_msg.${type}`, unit);
        return null;
    }
  }

  function endTurn(payload: JsonObject, unit: Unit): null {
    const { error } = payload;
    if (isObject(error)) tellError(error, unit);
    draft.phase(isObject(error) ? 'task_complete.error' : 'task_complete', unit);
    return null;
  }

  function tellError(error: JsonObject, unit: Unit): void {
    const info = error.codex_error_info;
    const kinds = isObject(info) ? Object.keys(info) : [textOf(info)];
    const details = isObject(info) ? Object.values(info) : [];
    const status =
      details.map((detail) => integerOf(fieldOf(detail, 'http_status_code'))).find((code) => code !== null) ?? null;
    // The word for a failed connection says less than the answer's status.
    const told = status === null ? { kinds } : { status };
    const { code, message, facts } = describeError(textOf(error.message) ?? 'the turn failed', told);
    draft.error(code, message, unit, facts);
  }

  function readItem(item: JsonObject, unit: Unit): Misread | null {
    const type = textOf(item.type) ?? '';
    switch (type) {
      case 'UserMessage':
        return ask(textsOf(item.content).join('\n'), `item_completed.${type}`, unit);
      case 'AgentMessage':
        return say('event', textsOf(item.content).join('\n'), unit, textOf(item.id));
      case 'Reasoning': {
        const summary = textsOf(item.summary_text);
        return think('event', summary.length > 0 ? summary : textsOf(item.raw_content), unit);
      }
      default:
        if (!calls.done(item, unit)) draft.phase(`item_completed.${type}`, unit);
        return null;
    }
  }

  function readResponse(payload: JsonObject, unit: Unit): Misread | null {
    const type = textOf(payload.type) ?? '';
    const name = `response_item ${type}`;
    if (type === 'message') {
      // What the person said comes as an event; other texts in their name are instructions.
      if (payload.role !== 'assistant') draft.phase(`response_item.${textOf(payload.role) ?? type}`, unit);
      else return say('response', textsOf(payload.content).join('\n'), unit, textOf(payload.id));
      return null;
    }
    if (type === 'reasoning') {
      const summary = textsOf(payload.summary);
      return think('response', summary.length > 0 ? summary : textsOf(payload.content), unit);
    }
    if (CALLS.has(type)) {
      lastWord = null;
      return calls.called(payload, unit) ? null : { event_type: name, problem: 'unexpected shape' };
    }
    if (OUTPUTS.has(type))
      return calls.answered(payload, unit) ? null : { event_type: name, problem: 'unexpected shape' };
    if (SERVED.has(type)) calls.served(payload, type.slice(0, -'_call'.length), unit);
    else draft.phase(`response_item.${type}`, unit);
    return null;
  }

  function ask(text: string | null, phase: string, unit: Unit): Misread | null {
    if (text === null) return drifted(phase);
    lastWord = null;
    draft.userMessage(text, phase, unit);
    return null;
  }

  function say(source: Source, text: string | null, unit: Unit, id: string | null): Misread | null {
    if (text === null) return drifted('agent_message');
    lastWord = unit;
    if (text.trim() === '' || !isFirst(source, text)) draft.phase(`${source}.agent_message`, unit);
    else draft.final(id === null ? draft.derivedId(unit) : draft.attemptId(id), text, unit);
    return null;
  }

  function think(source: Source, texts: readonly string[], unit: Unit): null {
    const news = texts.filter((text) => isFirst(source, text));
    if (news.length === 0) draft.phase(`${source}.reasoning`, unit);
    for (const text of news) draft.event('agent.reasoning.summary', { text }, unit);
    return null;
  }

  return {
    event,
    /** Older versions do not mark turns: one is over when the assistant had the last word. */
    end() {
      if (!turnsAreMarked && lastWord) draft.phase('task_complete', lastWord);
    },
  };
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}
