import type { Drafter } from '../drafter.ts';
import { fieldOf, isObject, type JsonObject, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { failureOf } from './failure.ts';
import type { Speech } from './speech.ts';
import { createToolReader } from './tools.ts';
import { streamUsage } from './usage.ts';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  init: new Set(['type', 'timestamp', 'session_id', 'model']),
  message: new Set(['type', 'timestamp', 'role', 'content', 'delta']),
  tool_use: new Set(['type', 'timestamp', 'tool_name', 'tool_id', 'parameters']),
  tool_result: new Set(['type', 'timestamp', 'tool_id', 'status', 'output', 'error']),
  error: new Set(['type', 'timestamp', 'severity', 'message', 'code']),
  result: new Set(['type', 'timestamp', 'status', 'error', 'stats']),
};
const ERROR = new Set(['type', 'message', 'code']);
const STATS = new Set([
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'cached',
  'input',
  'duration_ms',
  'tool_calls',
  'models',
]);

/** What some versions say themselves, in the words of the assistant, before it speaks. */
const NOTE = /^The --prompt \(-p\) flag has been deprecated .*\n$/;

/** The lines of `--output-format stream-json`. */
export function createStreamReader(draft: Drafter, speech: Speech): (event: JsonObject, unit: Unit) => Misread | null {
  const tools = createToolReader(draft);
  /** Of this turn: a result may fail without saying why again, or not say that it failed. */
  let lastError: string | null = null;
  let hasSpoken = false;

  return (event, unit) => {
    const type = textOf(event.type) ?? '';
    const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (!known) return { event_type: type, problem: 'unknown type' };
    if (endsSpeech(type, event)) speech.close();
    if (!read(type, event, unit)) return { event_type: type, problem: 'unexpected shape' };
    return (
      unknownFields(type, event, known) ?? inside(type, 'error', event, ERROR) ?? inside(type, 'stats', event, STATS)
    );
  };

  /** Says whether the event is what it should be. */
  function read(type: string, event: JsonObject, unit: Unit): boolean {
    switch (type) {
      case 'init':
        return readInit(event, unit);
      case 'message':
        return readMessage(event, unit);
      case 'tool_use':
        return tools.use(event, unit);
      case 'tool_result':
        return tools.result(event, unit);
      case 'error':
        return readError(event, unit);
      default:
        return readResult(event, unit);
    }
  }

  function readInit(event: JsonObject, unit: Unit): boolean {
    const session = textOf(event.session_id);
    if (session === null) return false;
    const model = textOf(event.model);
    lastError = null;
    hasSpoken = false;
    draft.openSession(session, 'init', unit, model === null ? {} : { model });
    return true;
  }

  function readMessage({ role, content, delta = false }: JsonObject, unit: Unit): boolean {
    if (typeof content !== 'string' || typeof delta !== 'boolean') return false;
    if (role === 'user') {
      draft.userMessage(content, 'message.user', unit);
      return true;
    }
    if (role !== 'assistant') return false;
    if (!hasSpoken && NOTE.test(content)) {
      draft.phase('message.note', unit);
      return true;
    }
    hasSpoken = true;
    if (delta) speech.add(content, unit);
    else draft.final(draft.derivedId(unit), content, unit);
    return true;
  }

  /** Not an end: a result follows. Older versions do not tell how severe it is. */
  function readError(event: JsonObject, unit: Unit): boolean {
    if (typeof event.message !== 'string') return false;
    const { code, message, facts } = failureOf(event.message, { code: event.code });
    const severity = event.severity === 'warning' || event.severity === 'info' ? event.severity : 'error';
    if (severity === 'error') lastError = message;
    draft.error(code, message, unit, { ...facts, severity });
    return true;
  }

  function readResult(event: JsonObject, unit: Unit): boolean {
    const { status, stats } = event;
    const usage = stats === undefined ? {} : streamUsage(stats);
    if (!usage || (status !== 'success' && status !== 'error')) return false;
    if (status === 'error') {
      const text = textOf(fieldOf(event, 'error', 'message')) ?? lastError ?? 'The turn failed.';
      const { code, message, facts } = failureOf(text, isObject(event.error) ? event.error : {});
      draft.error(code, message, unit, facts);
    }
    // Gemini calls a turn that ended at the limit of turns a success.
    const failed = status === 'error' || lastError !== null;
    lastError = null;
    draft.phase(failed ? 'result.error' : 'result', unit, stats === undefined ? {} : { usage });
    return true;
  }
}

/** A message goes on after an event that is not known: that may be anything. */
function endsSpeech(type: string, { role, delta }: JsonObject): boolean {
  if (type !== 'message') return true;
  return role === 'user' || (role === 'assistant' && delta !== true);
}

function inside(type: string, name: string, event: JsonObject, known: ReadonlySet<string>): Misread | null {
  const inner = event[name];
  return isObject(inner) ? unknownFields(`${type} ${name}`, inner, known) : null;
}
