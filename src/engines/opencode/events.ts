import { fieldOf, isObject, type JsonObject, numberOf, taken, textOf } from '../json-value.ts';
import type { Surface } from '../line-parser.ts';
import { type EventReader, type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createUsageSum } from '../usage-sum.ts';
import { readError } from './error.ts';
import { createToolReader } from './tool-use.ts';

const PART_FIELDS = ['id', 'sessionID', 'messageID', 'type'];
const EVENT_FIELDS: ReadonlySet<string> = new Set(['type', 'timestamp', 'sessionID', 'part']);

/** Each kind of event shows one part of a message; it is printed when the part is complete. */
const PARTS: Readonly<Record<string, { type: string; fields: ReadonlySet<string> }>> = {
  step_start: { type: 'step-start', fields: new Set([...PART_FIELDS, 'snapshot']) },
  text: { type: 'text', fields: new Set([...PART_FIELDS, 'text', 'time', 'synthetic', 'ignored', 'metadata']) },
  reasoning: { type: 'reasoning', fields: new Set([...PART_FIELDS, 'text', 'time', 'metadata']) },
  tool_use: { type: 'tool', fields: new Set([...PART_FIELDS, 'tool', 'callID', 'state', 'metadata']) },
  step_finish: { type: 'step-finish', fields: new Set([...PART_FIELDS, 'reason', 'snapshot', 'tokens', 'cost']) },
};

/** The events of `opencode run --format json`. What sub-agents do is not among them, only their result is. */
export function readOpencodeEvents({ draft }: Surface): EventReader {
  const addUsage = createUsageSum();
  const readTool = createToolReader(draft);
  /** The step has called a tool, so another one follows. */
  let hasCalls = false;

  function event(event: JsonObject, unit: Unit): Misread | null {
    const type = textOf(event.type) ?? '';
    if (type === 'error') return readError(draft, event, unit);
    const known = Object.hasOwn(PARTS, type) ? PARTS[type] : undefined;
    if (!known) return { event_type: type, problem: 'unknown type' };
    const { part } = event;
    const session = textOf(event.sessionID);
    if (!isObject(part) || part.type !== known.type || session === null) return drifted(type);
    const opens = session !== draft.session;
    if (opens) draft.openSession(session, type, unit);
    if (type === 'step_start') {
      hasCalls = false;
      if (!opens) draft.phase(type, unit);
    } else if (!read(type, part, unit)) return drifted(type);
    return unknownFields(type, event, EVENT_FIELDS) ?? unknownFields(`${type} part`, part, known.fields);
  }

  function read(type: string, part: JsonObject, unit: Unit): boolean {
    if (type === 'tool_use') {
      hasCalls = true;
      return readTool(part, unit);
    }
    if (type === 'step_finish') return readFinish(part, unit);
    const text = textOf(part.text);
    if (text === null) return false;
    const id = textOf(part.id) ?? draft.derivedId(unit);
    if (type === 'text') draft.final(id, text, unit);
    else draft.event('agent.reasoning.summary', { message_id: id, text }, unit);
    return true;
  }

  /** Why a step ended distinguishes the end of the work from a pause for tools, or from an answer cut short. */
  function readFinish(part: JsonObject, unit: Unit): boolean {
    const reason = textOf(part.reason);
    if (reason === null && part.reason !== undefined && part.reason !== null) return false;
    // Some versions give no reason: then a step without calls is the last one.
    const why = reason ?? (hasCalls ? 'tool-calls' : 'stop');
    draft.phase(`step_finish.${why}`, unit, { usage: addUsage(amountsOf(part)) });
    return true;
  }

  return { event, end: () => {}, identity };
}

/** Newer versions count thoughts beside the output, not as a part of it; their total shows it. */
function amountsOf({ tokens, cost }: JsonObject): JsonObject {
  const amount = (...path: string[]) => numberOf(fieldOf(tokens, ...path)) ?? undefined;
  const counts = {
    input_tokens: amount('input'),
    cached_input_tokens: amount('cache', 'read'),
    cache_write_tokens: amount('cache', 'write'),
    output_tokens: amount('output'),
    reasoning_tokens: amount('reasoning'),
  };
  const all = Object.values(counts).reduce<number>((sum, count) => sum + (count ?? 0), 0);
  const { output_tokens: output, reasoning_tokens: reasoning = 0 } = counts;
  const isApart = output !== undefined && all === amount('total');
  return {
    ...counts,
    output_tokens: isApart ? output + reasoning : output,
    total_tokens: amount('total'),
    cost_usd: cost,
  };
}

/** Parts have ids of their own; errors are distinguished by their time. */
function identity(event: JsonObject): string {
  return JSON.stringify(taken([event.type, event.timestamp, fieldOf(event, 'part', 'id') ?? null]));
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}
