import type { RaspData, ToolKind } from '../../protocol/index.ts';
import { describeError } from '../classify-error.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, listOf, taken, textOf } from '../json-value.ts';
import { type Misread, unknownFields } from '../ndjson-parser.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';
import type { Rounds } from './rounds.ts';

type ReadItem = (eventType: string, item: JsonObject, unit: Unit) => Misread | null;
type Phase = 'started' | 'updated' | 'completed';

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  agent_message: new Set(['id', 'type', 'text']),
  reasoning: new Set(['id', 'type', 'text']),
  error: new Set(['id', 'type', 'message']),
  todo_list: new Set(['id', 'type', 'items']),
  command_execution: new Set(['id', 'type', 'command', 'aggregated_output', 'exit_code', 'status']),
  file_change: new Set(['id', 'type', 'changes', 'status']),
  mcp_tool_call: new Set(['id', 'type', 'server', 'tool', 'arguments', 'result', 'error', 'status']),
  collab_tool_call: new Set([
    'id',
    'type',
    'tool',
    'sender_thread_id',
    'receiver_thread_ids',
    'prompt',
    'agents_states',
    'status',
  ]),
  web_search: new Set(['id', 'type', 'query', 'action', 'results', 'status']),
};

const TOOLS: Readonly<Record<string, ToolKind>> = {
  command_execution: 'command',
  file_change: 'file',
  mcp_tool_call: 'mcp',
  collab_tool_call: 'agent',
  web_search: 'search',
};

/** Items: what codex says, thinks, plans and does. Their numbers begin anew with every invocation. */
export function createItemReader(draft: Drafter, rounds: Rounds): ReadItem {
  /** Calls whose start was seen; one that only ends gets a start of its own. */
  const open = new RecentMap<string, true>();
  const saidSoFar = new RecentMap<string, string>();

  return (eventType, item, unit) => {
    const type = textOf(item.type) ?? '';
    const known = Object.hasOwn(FIELDS, type) ? FIELDS[type] : undefined;
    const name = `${eventType} ${type}`;
    if (!known) return { event_type: name, problem: 'unknown type' };
    const phase = eventType.slice('item.'.length) as Phase;
    const id = rounds.idOf(textOf(item.id) ?? draft.derivedId(unit));
    const understood = Object.hasOwn(TOOLS, type)
      ? readTool(type, id, phase, item, unit)
      : readText(type, id, phase, item, unit);
    return understood ? unknownFields(name, item, known) : { event_type: name, problem: 'unexpected shape' };
  };

  function readText(type: string, id: string, phase: Phase, item: JsonObject, unit: Unit): boolean {
    if (type === 'todo_list') return readPlan(item, unit);
    const text = textOf(type === 'error' ? item.message : item.text);
    if (text === null) return false;
    if (type === 'error') {
      const { code, message, facts } = describeError(text);
      draft.error(code, message, unit, { ...facts, severity: 'warning' });
    } else if (type === 'reasoning') draft.event('agent.reasoning.summary', { message_id: id, text }, unit);
    else readMessage(id, phase, text, unit);
    return true;
  }

  function readMessage(id: string, phase: Phase, text: string, unit: Unit): void {
    if (phase === 'completed') {
      saidSoFar.delete(id);
      draft.final(id, text, unit);
      return;
    }
    const said = saidSoFar.get(id) ?? '';
    saidSoFar.set(id, text);
    const more = text.startsWith(said) ? text.slice(said.length) : text;
    draft.event('agent.message.delta', { message_id: id, text: more }, unit, { correlation: { message_id: id } });
  }

  function readPlan(item: JsonObject, unit: Unit): boolean {
    if (!Array.isArray(item.items)) return false;
    const items = listOf(item.items).map((entry) => ({
      text: textOf(fieldOf(entry, 'text')) ?? JSON.stringify(taken(entry)),
      status: fieldOf(entry, 'completed') === true ? 'completed' : 'pending',
    }));
    draft.event('agent.plan.updated', { items }, unit);
    return true;
  }

  function readTool(type: string, id: string, phase: Phase, item: JsonObject, unit: Unit): boolean {
    const call = callOf(type, id, item);
    if (!call) return false;
    const correlation = { call_id: id };
    if (phase !== 'completed') {
      // What a call has done so far is not told; it begins only once.
      if (open.has(id)) draft.phase(`item.${phase}`, unit);
      else draft.event('tool.call.started', call, unit, { correlation });
      open.set(id, true);
      return true;
    }
    if (!open.delete(id)) draft.event('tool.call.started', call, unit, { correlation });
    const printed = { member: 'result', as: 'aggregated_output' };
    const data = ended(call, type, item);
    draft.event(hasFailed(item) ? 'tool.call.failed' : 'tool.call.completed', data, unit, { correlation, printed });
    return true;
  }
}

export type Call = RaspData<'tool.call.completed'>;

/** A tool call in the protocol's words; null when the item lacks what makes it one. */
export function callOf(type: string, call_id: string, item: JsonObject): Call | null {
  const kind = TOOLS[type]!;
  switch (type) {
    case 'command_execution': {
      const command = textOf(item.command);
      return command === null ? null : { call_id, name: type, kind, arguments: { command } };
    }
    case 'file_change':
      return Array.isArray(item.changes)
        ? { call_id, name: type, kind, arguments: { changes: taken(item.changes) } }
        : null;
    case 'mcp_tool_call': {
      const name = textOf(item.tool);
      const args = { server: taken(item.server), arguments: taken(item.arguments) };
      return name === null ? null : { call_id, name, kind, arguments: args };
    }
    case 'collab_tool_call': {
      const name = textOf(item.tool);
      const args = given({ prompt: item.prompt, receiver_thread_ids: item.receiver_thread_ids });
      return name === null ? null : { call_id, name, kind, ...args };
    }
    default: {
      // While it is at work neither is known: the query is empty and the action is of type `other`.
      const action = fieldOf(item.action, 'type') === 'other' ? undefined : item.action;
      return { call_id, name: type, kind, ...given({ query: item.query, action }) };
    }
  }
}

export function hasFailed({ status, error }: JsonObject): boolean {
  return status === 'failed' || status === 'declined' || isObject(error);
}

/** The arguments that say something. */
function given(values: JsonObject): { arguments?: JsonObject } {
  const told = Object.entries(values).filter(
    ([, value]) =>
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  if (told.length === 0) return {};
  return { arguments: Object.fromEntries(told.map(([name, value]) => [name, taken(value)])) };
}

/** The call with what came of it. Written out: this is the longest line codex prints, and most of what it prints. */
export function ended({ call_id, name, kind, arguments: args }: Call, type: string, item: JsonObject): Call {
  const call = { call_id, name, kind, arguments: args } as Call;
  if (type === 'command_execution') {
    call.result = taken(item.aggregated_output);
    if (item.exit_code !== undefined) call.exit_code = integerOf(item.exit_code);
  } else if (type === 'mcp_tool_call') {
    setResult(call, item.error ?? item.result);
  } else if (type === 'collab_tool_call') setResult(call, item.agents_states);
  else if (type === 'web_search') setResult(call, item.results);
  return call;
}

function setResult(call: Call, result: unknown): void {
  if (result !== undefined && result !== null) call.result = taken(result);
}
