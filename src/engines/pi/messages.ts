import { createDeltas, type Deltas } from '../deltas.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, listOf, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import { createQuietUnits } from '../quiet-units.ts';
import { createThoughts } from '../thoughts.ts';
import type { Unit } from '../unit.ts';
import { createUsageSum } from '../usage-sum.ts';
import type { Failure } from './failure.ts';
import { MESSAGE_FIELDS, UPDATE_FIELDS, UPDATES } from './message-fields.ts';

export interface MessageReader {
  /** Says that the event is about a role, or a kind of piece, that is not known. */
  unknown(type: string, event: JsonObject): Misread | null;
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
  const thoughts = createThoughts(draft, () => deltas.flush());
  const addUsage = createUsageSum();
  /** Of the message being streamed; pi gives it none. */
  let id: string | null = null;
  let model: string | null = null;
  let stopReason: string | null = null;

  function begin(message: JsonObject, unit: Unit): void {
    thoughts.flush();
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
    id ??= draft.derivedId(unit);
    const index = integerOf(piece.contentIndex);
    const block = `${id}.${index}`;
    if (type === 'text_delta' || type === 'thinking_delta') {
      const text = textOf(piece.delta);
      if (text === null || index === null) return drifted(name);
      if (text === '') quiet.add(unit);
      else if (type === 'thinking_delta') thoughts.add(block, text, unit);
      else {
        thoughts.flush();
        deltas.add(block, text, unit);
      }
    } else {
      if (index !== null && !type.startsWith('thinking_')) thoughts.flush();
      quiet.add(unit);
    }
    return unknownFields(name, piece, UPDATE_FIELDS);
  }

  function finish(message: JsonObject, unit: Unit): Misread | null {
    const isAnswer = message.role === 'assistant';
    const misread = isAnswer ? finishAnswer(message, unit) : null;
    const usage = isAnswer && isObject(message.usage) ? { usage: addUsage(amountsOf(message.usage)) } : {};
    const units = [...quiet.take(), unit];
    if (message.role === 'user') draft.userMessage(contentText(message.content), 'message_end', units);
    else draft.phase('message_end', units, usage);
    id = null;
    return misread;
  }

  function finishAnswer(message: JsonObject, unit: Unit): Misread | null {
    stopReason = textOf(message.stopReason);
    failure.message(stopReason, textOf(message.errorMessage), unit);
    if (!Array.isArray(message.content)) {
      thoughts.flush();
      return drifted('message_end');
    }
    let misread: Misread | null = null;
    message.content.forEach((block: unknown, index) => {
      misread = readBlock(block, `${id ?? draft.derivedId(unit)}.${index}`, unit) ?? misread;
    });
    thoughts.flush();
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
    else thoughts.finish(blockId, text, unit);
    return null;
  }

  return {
    unknown(type, { message, assistantMessageEvent: piece }) {
      const role = isObject(message) ? (textOf(message.role) ?? '') : null;
      if (role !== null && !Object.hasOwn(MESSAGE_FIELDS, role)) {
        return { event_type: `${type} ${role}`, problem: 'unknown type' };
      }
      if (type !== 'message_update' || !isObject(piece)) return null;
      const kind = textOf(piece.type) ?? '';
      return UPDATES.has(kind) ? null : { event_type: `${type} ${kind}`, problem: 'unknown type' };
    },
    read(type, event, unit) {
      const { message } = event;
      // Later versions tell only what is new, and only of answers.
      if (type === 'message_update' && message === undefined) return update(event, unit);
      if (!isObject(message)) return drifted(type);
      const role = textOf(message.role) ?? '';
      let misread: Misread | null = null;
      if (type === 'message_start') begin(message, unit);
      else misread = type === 'message_end' ? finish(message, unit) : update(event, unit);
      return misread ?? unknownFields(`${type} ${role}`, message, MESSAGE_FIELDS[role]!);
    },
    cutShort: () => stopReason === 'length',
    end() {
      thoughts.flush();
      const units = quiet.take();
      if (units.length > 0) draft.phase('message_update', units);
    },
    deltas,
  };
}

export function amountsOf(usage: JsonObject): JsonObject {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cached_input_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    ...(usage.reasoning === undefined ? {} : { reasoning_tokens: usage.reasoning }),
    total_tokens: usage.totalTokens,
    cost_usd: fieldOf(usage, 'cost', 'total'),
  };
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}

/** What a message says: a text, or the texts among its blocks. */
export function contentText(content: unknown): string {
  const blocks = listOf(content).map((block) => textOf(fieldOf(block, 'text')) ?? '');
  return textOf(content) ?? blocks.filter(Boolean).join('\n');
}
