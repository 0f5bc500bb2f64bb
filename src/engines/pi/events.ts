import { describeError } from '../classify-error.ts';
import { fieldOf, isObject, type JsonObject, taken, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createFailure, retryFacts } from './failure.ts';
import { createMessageReader } from './messages.ts';
import { createToolReader } from './tools.ts';

const TOOL = ['type', 'toolCallId', 'toolName'];
const COMPACTION_START: ReadonlySet<string> = new Set(['type', 'reason']);
const COMPACTION_END: ReadonlySet<string> = new Set([
  'type',
  'reason',
  'result',
  'aborted',
  'willRetry',
  'errorMessage',
]);
const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  session: new Set(['type', 'version', 'id', 'timestamp', 'cwd', 'parentSession']),
  agent_start: new Set(['type']),
  agent_end: new Set(['type', 'messages', 'willRetry']),
  agent_settled: new Set(['type']),
  turn_start: new Set(['type']),
  turn_end: new Set(['type', 'message', 'toolResults']),
  message_start: new Set(['type', 'message']),
  message_update: new Set(['type', 'message', 'usage', 'assistantMessageEvent']),
  message_end: new Set(['type', 'message']),
  tool_execution_start: new Set([...TOOL, 'args']),
  tool_execution_update: new Set([...TOOL, 'args', 'partialResult']),
  tool_execution_end: new Set([...TOOL, 'result', 'isError']),
  auto_retry_start: new Set(['type', 'attempt', 'maxAttempts', 'delayMs', 'errorMessage']),
  auto_retry_end: new Set(['type', 'success', 'attempt', 'finalError']),
  compaction_start: COMPACTION_START,
  compaction_end: COMPACTION_END,
  // The names before 0.60.
  auto_compaction_start: COMPACTION_START,
  auto_compaction_end: COMPACTION_END,
  entry_appended: new Set(['type', 'entry']),
  queue_update: new Set(['type', 'steering', 'followUp']),
  session_info_changed: new Set(['type', 'name']),
  thinking_level_changed: new Set(['type', 'level']),
};

/** After the end of an agent that failed these show whether it retries. Any other event means that it does not. */
const TELL_OF_TRIES: ReadonlySet<string> = new Set([
  'auto_retry_start',
  'auto_retry_end',
  'compaction_start',
  'compaction_end',
  'auto_compaction_start',
  'auto_compaction_end',
  'entry_appended',
]);

/** The events of `pi --mode json`. The ends of turns and agents repeat earlier messages. */
export function readPiEvents({ draft, wait }: Surface): EventReader {
  const failure = createFailure(draft);
  const messages = createMessageReader(draft, failure);
  const tools = createToolReader(draft);
  wait(messages.deltas);

  function event(event: JsonObject, unit: Unit): Misread | null {
    const type = textOf(event.type) ?? '';
    const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    if (!known) return { event_type: type, problem: 'unknown type' };
    const unknown = type.startsWith('message_') ? messages.unknown(type, event) : null;
    if (unknown) return unknown;
    if (!TELL_OF_TRIES.has(type)) failure.moveOn();
    if (type !== 'message_update') messages.deltas.flush();
    const misread = type.startsWith('message_')
      ? messages.read(type, event, unit)
      : read(type, event, unit)
        ? null
        : ({ event_type: type, problem: 'unexpected shape' } as const);
    return misread ?? unknownFields(type, event, known);
  }

  function read(type: string, event: JsonObject, unit: Unit): boolean {
    switch (type) {
      case 'session': {
        const id = textOf(event.id);
        if (id === null) return false;
        draft.openSession(id, type, unit);
        return true;
      }
      case 'tool_execution_start':
      case 'tool_execution_update':
      case 'tool_execution_end':
        return tools.read(type, event, unit);
      case 'agent_end':
        // An answer that was cut short is none the agent ended with.
        if (!failure.agentEnd(unit)) draft.phase(messages.cutShort() ? 'agent_end.length' : type, unit);
        return true;
      case 'auto_retry_start':
        failure.retry(textOf(event.errorMessage), unit, retryFacts(event));
        return true;
      case 'auto_retry_end':
        if (event.success === false && !failure.settle()) tellError(event.finalError, 'no other try', unit);
        break;
      case 'compaction_end':
      case 'auto_compaction_end':
        if (event.willRetry === true) failure.retry(null, unit, { after: 'compaction' });
        else failure.settle();
        if (event.errorMessage !== undefined) tellError(event.errorMessage, 'compaction failed', unit);
        break;
      case 'agent_start':
        failure.settle();
        break;
    }
    draft.phase(type, unit);
    return true;
  }

  function tellError(message: unknown, otherwise: string, unit: Unit): void {
    const { code, message: text, facts } = describeError(textOf(message) ?? otherwise);
    draft.error(code, text, unit, facts);
  }

  return {
    event,
    end() {
      failure.settle();
      messages.end();
      tools.end();
    },
    identity,
  };
}

/** Lines have no ids; the time of a message and its addition distinguish most of them, their order the rest. */
function identity(event: JsonObject): string {
  const update = isObject(event.assistantMessageEvent) ? event.assistantMessageEvent : {};
  const about = [event.id, event.toolCallId, event.attempt, fieldOf(event, 'message', 'timestamp')];
  return JSON.stringify(taken([event.type, ...about, update.type, update.contentIndex, update.delta]));
}
