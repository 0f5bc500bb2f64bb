import { createDeltas, type Deltas } from '../deltas.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import { createUsageSum } from '../usage-sum.ts';
import type { Failure } from './failure.ts';
import { MESSAGE_FIELDS, UPDATE_FIELDS, UPDATES } from './message-fields.ts';
import { createQuietUnits } from './quiet-units.ts';

export interface MessageReader {
  read(type: string, event: JsonObject, unit: Unit): Misread | null;
  /** The last message ended at the limit of its length. */
  cutShort(): boolean;
  end(): void;
  deltas: Deltas;
}

/** Messages: started, streamed in pieces, and repeated as a whole when they end. */
export function createMessageReader(draft: Drafter, failure: Failure): MessageReader {
  const deltas = createDeltas(draft);
  const quiet = createQuietUnits();
  const addUsage = createUsageSum();
  /** Of the message being streamed; pi gives it none. */
  let id: string | null = null;
  let model: string | null = null;
  let stopReason: string | null = null;

  function begin(message: JsonObject, unit: Unit): void {
    id = draft.derivedId(unit);
    const told = textOf(message.model);
    if (message.role !== 'assistant' || told === null || told === model) {
      quiet.add(unit);
      return;
    }
    model = told;
    draft.event('lifecycle.run.status', { status: 'running', phase: 'message_start', model }, unit);
  }

  function update(event: JsonObject, unit: Unit): Misread | null {
    const piece = event.assistantMessageEvent;
    if (!isObject(piece)) return drifted('message_update');
    const type = textOf(piece.type) ?? '';
    const name = `message_update ${type}`;
    if (!UPDATES.has(type)) return { event_type: name, problem: 'unknown type' };
    id ??= draft.derivedId(unit);
    if (type === 'text_delta') {
      const text = textOf(piece.delta);
      const index = integerOf(piece.contentIndex);
      if (text === null || index === null) return drifted(name);
      deltas.add(`${id}.${index}`, text, unit);
    } else quiet.add(unit);
    return unknownFields(name, piece, UPDATE_FIELDS);
  }

  function finish(message: JsonObject, unit: Unit): Misread | null {
    const told = message.role === 'assistant';
    const misread = told ? finishAnswer(message, unit) : null;
    const usage = told && isObject(message.usage) ? { usage: addUsage(amountsOf(message.usage)) } : {};
    draft.phase('message_end', [...quiet.take(), unit], usage);
    id = null;
    return misread;
  }

  function finishAnswer(message: JsonObject, unit: Unit): Misread | null {
    stopReason = textOf(message.stopReason);
    failure.message(stopReason, textOf(message.errorMessage), unit);
    if (!Array.isArray(message.content)) return drifted('message_end');
    let misread: Misread | null = null;
    message.content.forEach((block: unknown, index) => {
      misread = readBlock(block, `${id ?? draft.derivedId(unit)}.${index}`, unit) ?? misread;
    });
    return misread;
  }

  function readBlock(block: unknown, blockId: string, unit: Unit): Misread | null {
    const type = textOf(fieldOf(block, 'type')) ?? '';
    const name = `message_end ${type}`;
    // Calls are reported when they are made.
    if (type === 'toolCall') return null;
    if (type !== 'text' && type !== 'thinking') return { event_type: name, problem: 'unknown type' };
    const text = textOf(fieldOf(block, type));
    if (text === null) return drifted(name);
    if (type === 'text') draft.final(blockId, text, unit);
    else if (text !== '') draft.event('agent.reasoning.summary', { message_id: blockId, text }, unit);
    return null;
  }

  return {
    read(type, event, unit) {
      const { message } = event;
      if (!isObject(message)) return drifted(type);
      const role = textOf(message.role) ?? '';
      const known = Object.hasOwn(MESSAGE_FIELDS, role) ? MESSAGE_FIELDS[role] : undefined;
      if (!known) return { event_type: `${type} ${role}`, problem: 'unknown type' };
      let misread: Misread | null = null;
      if (type === 'message_start') begin(message, unit);
      else misread = type === 'message_end' ? finish(message, unit) : update(event, unit);
      return misread ?? unknownFields(`${type} ${role}`, message, known);
    },
    cutShort: () => stopReason === 'length',
    end() {
      const units = quiet.take();
      if (units.length > 0) draft.phase('message_update', units);
    },
    deltas,
  };
}

function amountsOf(usage: JsonObject): JsonObject {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cached_input_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    total_tokens: usage.totalTokens,
    cost_usd: fieldOf(usage, 'cost', 'total'),
  };
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}
