import type { Drafter } from '../drafter.ts';
import { isObject, type JsonObject, listOf, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import type { Unit } from '../unit.ts';
import type { CallContext, Calls } from './calls.ts';
import type { StreamJsonDialect } from './dialect.ts';
import type { HeldFailure } from './failure.ts';
import { ASSISTANT_MESSAGE_FIELDS, USER_MESSAGE_FIELDS } from './fields.ts';
import { drifted, parentOf, unknownType } from './misread.ts';
import type { Texts } from './texts.ts';
import { type CallUsage, usageOf } from './usage.ts';

/** Calls of tools that work on the side of the model service end within the assistant's message. */
const SERVED_RESULTS = new Set([
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_result',
]);
const SILENT_BLOCKS = new Set(['redacted_thinking', 'image', 'document', 'container_upload', 'compaction']);
const USER_BLOCKS = new Set(['text', 'image', 'document', 'search_result', 'tool_reference']);

/** A text in the name of the person that the engine writes when it is stopped. */
const INTERRUPTED = /^\[Request interrupted by user/;
/** Set on texts that are not from a person but from the engine or a tool. */
const NOT_TYPED = [
  'isSynthetic',
  'is_meta',
  'is_virtual',
  'is_compact_summary',
  'is_visible_in_transcript_only',
  'source_tool_use_id',
] as const;

interface Parts {
  draft: Drafter;
  dialect: StreamJsonDialect;
  texts: Texts;
  calls: Calls;
  failure: HeldFailure;
  usage: CallUsage;
}

/** Whole messages: what the assistant said and did, and what came back to it. */
export function createMessageReader({ draft, dialect, texts, calls, failure, usage }: Parts) {
  let interruption: string | null = null;

  function assistant(event: JsonObject, unit: Unit): Misread | null {
    const { message } = event;
    const parent = parentOf(event);
    if (!isObject(message) || !Array.isArray(message.content) || parent === undefined) return drifted('assistant');
    const blocks = listOf(message.content);
    let misread: Misread | null = null;
    if (message.model === '<synthetic>') holdSynthetic(event, blocks, parent, unit);
    else {
      reportUsage(message, parent, unit);
      for (const block of blocks) misread = readBlock(block, event, message, parent, unit) ?? misread;
      if (blocks.length === 0) draft.phase('assistant', unit);
    }
    return misread ?? unknownFields('assistant message', message, ASSISTANT_MESSAGE_FIELDS);
  }

  /** Written by the engine itself. If it is not an error either, such as the output of a command, the result repeats it. */
  function holdSynthetic(event: JsonObject, blocks: readonly unknown[], parent: string | null, unit: Unit): void {
    draft.phase('assistant.synthetic', unit);
    const kind = textOf(event.error);
    if (parent !== null || (kind === null && event.is_api_error_message !== true)) return;
    const text = blocks.map((block) => (isObject(block) ? textOf(block.text) : null)).filter((part) => part !== null);
    const message = text.join('\n') || (kind ?? 'the model service failed');
    failure.hold({ kind, cause: textOf(event.api_error), message }, unit);
  }

  /** Where pieces report the usage of a call, they have done so before. */
  function reportUsage(message: JsonObject, parent: string | null, unit: Unit): void {
    const grown = usage.report(parent, textOf(message.id), usageOf(message.usage, dialect.counting));
    if (grown && !dialect.usageOfTurn) draft.phase('assistant.usage', unit, { usage: usage.sum! });
  }

  function readBlock(
    block: unknown,
    event: JsonObject,
    message: JsonObject,
    parent: string | null,
    unit: Unit,
  ): Misread | null {
    if (!isObject(block)) return drifted('assistant');
    const type = textOf(block.type) ?? '';
    const name = `assistant ${type}`;
    const context: CallContext = { parent, time: event.timestamp };
    if (parent === null) failure.drop();
    switch (type) {
      case 'text': {
        const text = textOf(block.text);
        if (text === null) return drifted(name);
        say(text, message, parent, unit);
        return null;
      }
      case 'thinking': {
        const text = textOf(block.thinking);
        if (text === null) return drifted(name);
        think(text, message, parent, unit);
        return null;
      }
      case 'tool_use':
      case 'server_tool_use':
      case 'mcp_tool_use':
        return calls.start(block, context, unit) ? null : drifted(name);
      default:
        if (SERVED_RESULTS.has(type)) return calls.end(block, context, unit) ? null : drifted(name);
        if (!SILENT_BLOCKS.has(type)) return unknownType(name);
        draft.phase(`assistant.${type}`, unit);
        return null;
    }
  }

  function say(text: string, message: JsonObject, parent: string | null, unit: Unit): void {
    const error = texts.whole(parent, textOf(message.id), text, unit, calls.inside(parent));
    if (error !== null && parent === null) failure.hold({ kind: null, message: error }, unit);
  }

  /** Thoughts the model service keeps to itself come as empty ones. */
  function think(text: string, message: JsonObject, parent: string | null, unit: Unit): void {
    if (text === '') {
      draft.phase('assistant.thinking', unit);
      return;
    }
    const id = textOf(message.id);
    const data = id === null ? { text } : { message_id: id, text };
    draft.event('agent.reasoning.summary', data, unit, calls.inside(parent));
  }

  /** Results of tool calls, and prompts: of a person, of the agent to a sub-agent, or added by the engine. */
  function user(event: JsonObject, unit: Unit): Misread | null {
    const { message } = event;
    const parent = parentOf(event);
    if (!isObject(message) || parent === undefined) return drifted('user');
    const { content } = message;
    if (typeof content !== 'string' && !Array.isArray(content)) return drifted('user');
    let misread: Misread | null = null;
    let ended = false;
    const texts: string[] = typeof content === 'string' ? [content] : [];
    for (const block of listOf(content)) {
      const type = isObject(block) ? (textOf(block.type) ?? '') : null;
      if (type === null) misread = drifted('user');
      else if (type === 'tool_result') {
        const context = { parent, time: event.timestamp, details: event.tool_use_result };
        if (calls.end(block as JsonObject, context, unit)) ended = true;
        else misread = drifted('user tool_result');
      } else if (!USER_BLOCKS.has(type)) misread = unknownType(`user ${type}`);
      else texts.push(textOf((block as JsonObject).text) ?? '');
    }
    const stopped = texts.find((text) => INTERRUPTED.test(text)) ?? null;
    interruption = stopped ?? interruption;
    const typed = parent === null && stopped === null && !NOT_TYPED.some((name) => event[name]);
    if (!ended) draft.userMessage(typed ? texts.filter((text) => text !== '').join('\n') : '', 'user', unit);
    return misread ?? unknownFields('user message', message, USER_MESSAGE_FIELDS);
  }

  return {
    assistant,
    user,
    /** How a person stopped the turn, in the engine's words; null once it was asked for. */
    takeInterruption(): string | null {
      const taken = interruption;
      interruption = null;
      return taken;
    },
  };
}
