import { createDeltas } from '../../deltas.ts';
import { fieldOf, isObject, type JsonObject, listOf, textOf } from '../../json-value.ts';
import type { Surface } from '../../line-parser.ts';
import type { EventReader, Misread } from '../../ndjson-parser.ts';
import { RecentMap } from '../../recent-map.ts';
import { createCalls } from '../../stream-json/calls.ts';
import { createHeldFailure, describeFailure } from '../../stream-json/failure.ts';
import { createMessageReader } from '../../stream-json/messages.ts';
import { readRetry } from '../../stream-json/retry.ts';
import { createTexts } from '../../stream-json/texts.ts';
import { createCallUsage } from '../../stream-json/usage.ts';
import type { Unit } from '../../unit.ts';
import { CLAUDE_DIALECT } from '../parser.ts';
import { promptText } from './prompt-text.ts';

/** Entries about the session, the screen and the project. */
const QUIET = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'ai-title',
  'attachment',
  'attribution-snapshot',
  'bridge-session',
  'content-replacement',
  'context-collapse-commit',
  'custom-title',
  'file-history-delta',
  'file-history-snapshot',
  'isolation-latch',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'relocated',
  'result',
  'saved_hook_context',
  'speculation-accept',
  'started',
  'summary',
  'tag',
  'task-summary',
  'worktree-state',
]);

/** There is no price in a transcript, and no result of a turn: usage is that of the calls to the model. */
const DIALECT = { ...CLAUDE_DIALECT, usageOfTurn: false };

const INTERRUPTED = /^\[Request interrupted by user/;
const TURN_ENDS = new Set(['end_turn', 'stop_sequence', 'refusal']);

/** The entries of a transcript: the messages of the stream, in the spelling of the file, and what people typed. */
export function readTranscript({ draft }: Surface): EventReader {
  const texts = createTexts(draft, createDeltas(draft), DIALECT);
  const calls = createCalls(draft, DIALECT);
  const failure = createHeldFailure(draft);
  const messages = createMessageReader({ draft, dialect: DIALECT, texts, calls, failure, usage: createCallUsage() });
  const seen = new RecentMap<string, true>();
  let model: string | null = null;
  /** The entry with the assistant's last word, unless something followed. */
  let lastWord: Unit | null = null;

  function event(entry: JsonObject, unit: Unit): Misread | null {
    const type = textOf(entry.type) ?? '';
    const session = textOf(entry.sessionId) ?? textOf(entry.session_id);
    if (session !== null && session !== draft.session) draft.openSession(session, 'session', unit);
    const id = textOf(entry.uuid);
    if (id !== null && seen.has(id)) {
      draft.phase(`${type}.repeated`, unit);
      return null;
    }
    if (id !== null) seen.set(id, true);
    switch (type) {
      case 'assistant':
        return readAnswer(entry, unit);
      case 'user':
        return readUser(entry, unit);
      case 'system':
        return readSystem(entry, unit);
      default:
        if (!QUIET.has(type)) return { event_type: type, problem: 'unknown type' };
        draft.phase(type, unit);
        return null;
    }
  }

  function readSystem(entry: JsonObject, unit: Unit): Misread | null {
    const subtype = textOf(entry.subtype) ?? '';
    const type = `system.${subtype}`;
    if (subtype !== 'local_command' && !Object.hasOwn(CLAUDE_DIALECT.systems, subtype))
      return { event_type: type, problem: 'unknown type' };
    if (subtype === 'api_error') readRetry(draft, retryOf(entry), unit);
    else draft.phase(type, unit);
    return null;
  }

  function readAnswer(entry: JsonObject, unit: Unit): Misread | null {
    const { message } = entry;
    const blocks = listOf(fieldOf(message, 'content'));
    readModel(textOf(fieldOf(message, 'model')), unit);
    const misread = messages.assistant(streamed(entry), unit);
    if (entry.isSidechain === true) return misread;
    const speaks = blocks.some((block) => fieldOf(block, 'type') === 'text');
    lastWord = speaks ? unit : null;
    const failed = failure.take();
    if (failed) {
      lastWord = null;
      const { code, message: told, facts } = describeFailure(failed.message, failed);
      draft.error(code, told, unit, facts);
      draft.phase('assistant.error', unit);
    } else if (speaks && TURN_ENDS.has(textOf(fieldOf(message, 'stop_reason')) ?? '')) {
      lastWord = null;
      draft.phase('assistant.end_turn', unit);
    }
    return misread;
  }

  function readModel(told: string | null, unit: Unit): void {
    if (told === null || told === model || told === '<synthetic>') return;
    model = told;
    draft.event('lifecycle.run.status', { status: 'running', phase: 'assistant.model', model }, unit);
  }

  function readUser(entry: JsonObject, unit: Unit): Misread | null {
    const content = fieldOf(entry.message, 'content');
    const isResult = listOf(content).some((block) => fieldOf(block, 'type') === 'tool_result');
    if (isResult || !isObject(entry.message)) return messages.user(streamed(entry), unit);
    const text = promptText(content);
    if (text === null || isAdded(entry)) draft.phase('user.added', unit);
    else if (INTERRUPTED.test(text)) {
      draft.error('ENGINE_ERROR', text, unit, { severity: 'warning' });
      draft.phase('user.interrupted', unit);
    } else {
      draft.phase('user.prompt', unit);
      draft.userMessage(text, 'user', unit);
    }
    if (entry.isSidechain !== true) lastWord = null;
    return null;
  }

  /** The entry as the stream would have it. */
  function streamed(entry: JsonObject): JsonObject {
    return {
      ...entry,
      tool_use_result: entry.toolUseResult,
      is_api_error_message: entry.isApiErrorMessage,
      parent_tool_use_id: entry.isSidechain === true ? calls.openAgent() : null,
    };
  }

  return {
    event,
    /** Some versions write messages before the model says why it stopped. */
    end() {
      if (lastWord) draft.phase('assistant.end_turn', lastWord);
    },
  };
}

/** Texts that the engine wrote, and prompts of sub-agents. */
function isAdded(entry: JsonObject): boolean {
  return [entry.isMeta, entry.isCompactSummary, entry.isVisibleInTranscriptOnly, entry.isSidechain].includes(true);
}

function retryOf({ error, retryAttempt, maxRetries, retryInMs }: JsonObject): JsonObject {
  return { error, retry_attempt: retryAttempt, max_retries: maxRetries, retry_in_ms: retryInMs };
}
