import type { ToolKind } from '../../../protocol/index.ts';
import { describeError } from '../../classify-error.ts';
import { fieldOf, integerOf, isObject, type JsonObject, listOf, taken, textOf } from '../../json-value.ts';
import type { Surface } from '../../line-parser.ts';
import type { EventReader, Misread } from '../../ndjson-parser.ts';
import { RecentMap } from '../../recent-map.ts';
import type { Unit } from '../../unit.ts';
import { createUsageSum } from '../../usage-sum.ts';
import { amountsOf, contentText } from '../messages.ts';
import { createToolReader } from '../tools.ts';

const QUIET = new Set([
  'active_tools_change',
  'branch_summary',
  'compaction',
  'custom',
  'custom_message',
  'label',
  'model_change',
  'session_info',
  'thinking_level_change',
]);

const FAILED = new Set(['error', 'aborted']);

/** The entries of a pi session: whole messages. Branches that were left stand in the file with the others. */
export function readPiSession({ draft }: Surface): EventReader {
  const tools = createToolReader(draft);
  const addUsage = createUsageSum();
  const seen = new RecentMap<string, true>();
  let model: string | null = null;

  function event(entry: JsonObject, unit: Unit): Misread | null {
    const type = textOf(entry.type) ?? '';
    const id = textOf(entry.id);
    if (type === 'session') {
      if (id === null) return drifted(type);
      draft.openSession(id, type, unit);
      return null;
    }
    if (id !== null && seen.has(id)) {
      draft.phase(`${type}.repeated`, unit);
      return null;
    }
    if (id !== null) seen.set(id, true);
    if (type === 'message') {
      return isObject(entry.message) ? readMessage(entry.message, id ?? draft.derivedId(unit), unit) : drifted(type);
    }
    if (!QUIET.has(type)) return { event_type: type, problem: 'unknown type' };
    draft.phase(type, unit);
    return null;
  }

  function readMessage(message: JsonObject, id: string, unit: Unit): Misread | null {
    const role = textOf(message.role) ?? '';
    switch (role) {
      case 'user':
        draft.phase('message.user', unit);
        draft.userMessage(contentText(message.content).trim(), role, unit);
        return null;
      case 'assistant':
        return readAnswer(message, id, unit);
      case 'toolResult': {
        const { toolCallId, toolName, isError, content, details } = message;
        const result = { content, ...(details === undefined ? {} : { details }) };
        const ended = { toolCallId, toolName, isError, result };
        return tools.read('tool_execution_end', ended, unit) ? null : drifted(`message ${role}`);
      }
      case 'bashExecution':
        readBash(message, id, unit);
        return null;
      default:
        draft.phase(`message.${role}`, unit);
        return null;
    }
  }

  function readAnswer(message: JsonObject, id: string, unit: Unit): Misread | null {
    if (!Array.isArray(message.content)) return drifted('message assistant');
    const told = textOf(message.model);
    if (told !== null && told !== model) {
      model = told;
      draft.event('lifecycle.run.status', { status: 'running', phase: 'message.model', model }, unit);
    }
    let misread: Misread | null = null;
    listOf(message.content).forEach((block, index) => {
      if (!readBlock(block, draft.attemptId(`${id}.${index}`), unit)) {
        misread = { event_type: `message ${textOf(fieldOf(block, 'type')) ?? ''}`, problem: 'unknown type' };
      }
    });
    const stop = textOf(message.stopReason) ?? '';
    if (FAILED.has(stop)) {
      const {
        code,
        message: text,
        facts,
      } = describeError(textOf(message.errorMessage) ?? `the request ended: ${stop}`);
      draft.error(code, text, unit, facts);
    }
    const usage = isObject(message.usage) ? { usage: addUsage(amountsOf(message.usage)) } : {};
    draft.phase(stop === '' ? 'message.assistant' : `message.${stop}`, unit, usage);
    return misread;
  }

  function readBlock(block: unknown, id: string, unit: Unit): boolean {
    const type = textOf(fieldOf(block, 'type')) ?? '';
    if (type === 'text') {
      const text = textOf(fieldOf(block, 'text')) ?? '';
      if (text.trim() !== '') draft.final(id, text, unit);
    } else if (type === 'thinking') {
      const text = textOf(fieldOf(block, 'thinking')) ?? '';
      if (text.trim() !== '') draft.event('agent.reasoning.summary', { message_id: id, text }, unit);
    } else if (type === 'toolCall') {
      const [toolCallId, toolName] = [fieldOf(block, 'id'), fieldOf(block, 'name')];
      return tools.read('tool_execution_start', { toolCallId, toolName, args: fieldOf(block, 'arguments') }, unit);
    } else return type === 'image';
    return true;
  }

  /** A command that the person ran from the prompt. */
  function readBash(message: JsonObject, id: string, unit: Unit): void {
    const call_id = draft.attemptId(id);
    const call = { call_id, name: 'bash', kind: 'command' as ToolKind };
    const exit_code = integerOf(message.exitCode);
    const failed = message.cancelled === true || (exit_code !== null && exit_code !== 0);
    const about = { correlation: { call_id } };
    draft.event(
      'tool.call.started',
      { ...call, arguments: { command: taken(message.command), by: 'user' } },
      unit,
      about,
    );
    const ended = { ...call, result: taken(message.output), exit_code };
    draft.event(failed ? 'tool.call.failed' : 'tool.call.completed', ended, unit, about);
  }

  return { event, end: () => tools.end() };
}

function drifted(type: string): Misread {
  return { event_type: type, problem: 'unexpected shape' };
}
