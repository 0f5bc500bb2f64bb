import type { RaspData, ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, isoTime, type JsonObject, numberOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';

/** Tools of MCP servers and of plugins both come as `name_tool`; they cannot be distinguished. */
const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'command',
  write: 'file',
  edit: 'file',
  multiedit: 'file',
  patch: 'file',
  apply_patch: 'file',
  read: 'file',
  list: 'file',
  grep: 'search',
  glob: 'search',
  websearch: 'search',
  webfetch: 'search',
  codesearch: 'search',
  task: 'agent',
};

/** Reads a part that shows a call; false if a required field is missing. */
export type ReadTool = (part: JsonObject, unit: Unit) => boolean;
type Status = 'pending' | 'running' | 'completed' | 'error';
type Call = RaspData<'tool.call.completed'>;

/** Most versions print a call only when it is over: its start is then taken from the same line. */
export function createToolReader(draft: Drafter): ReadTool {
  /** Calls whose start was told. */
  const open = new RecentMap<string, true>();

  return (part, unit) => {
    const name = textOf(part.tool);
    const { state } = part;
    if (name === null || !isObject(state) || !isStatus(state.status)) return false;
    const { status } = state;
    if (fieldOf(state, 'time', 'compacted') !== undefined) {
      // Not a new call: the result of an old one was left out of the model's context.
      draft.phase('tool_use.compacted', unit);
      return true;
    }
    // The model's own call id may come again in a later step; that of the part does not.
    const call = callOf(textOf(part.id) ?? draft.derivedId(unit), name, state);
    const correlation = { correlation: { call_id: call.call_id } };
    const isOpen = open.has(call.call_id);
    if (!isOpen) draft.event('tool.call.started', call, unit, correlation);
    if (status === 'pending' || status === 'running') {
      if (isOpen) draft.phase(`tool_use.${status}`, unit);
      open.set(call.call_id, true);
      return true;
    }
    open.delete(call.call_id);
    const type = status === 'error' ? 'tool.call.failed' : 'tool.call.completed';
    const printed = { member: 'result', as: status === 'error' ? 'error' : 'output' };
    draft.event(type, { ...call, ...resultOf(state) }, unit, { ...correlation, printed });
    if (name === 'todowrite' && status === 'completed') readPlan(draft, fieldOf(state, 'input', 'todos'), unit);
    return true;
  };
}

function isStatus(value: unknown): value is Status {
  return value === 'pending' || value === 'running' || value === 'completed' || value === 'error';
}

function callOf(call_id: string, name: string, state: JsonObject): Call {
  const { started_at } = timesOf(state);
  return {
    call_id,
    name,
    kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other',
    arguments: taken(state.input),
    ...(started_at === undefined ? {} : { started_at }),
  };
}

function resultOf(state: JsonObject): Partial<Call> {
  const { started_at: _told, ...end } = timesOf(state);
  const exit = fieldOf(state, 'metadata', 'exit');
  return {
    result: taken(state.status === 'error' ? state.error : state.output),
    ...(exit === undefined ? {} : { exit_code: integerOf(exit) }),
    ...end,
  };
}

type Times = Pick<Call, 'started_at' | 'ended_at' | 'duration_ms'>;

function timesOf(state: JsonObject): Times {
  const start = numberOf(fieldOf(state, 'time', 'start'));
  const end = numberOf(fieldOf(state, 'time', 'end'));
  const started_at = isoTime(start);
  const ended_at = isoTime(end);
  return {
    ...(started_at === null ? {} : { started_at }),
    ...(ended_at === null ? {} : { ended_at }),
    ...(start === null || end === null || end < start ? {} : { duration_ms: end - start }),
  };
}

function readPlan(draft: Drafter, todos: unknown, unit: Unit): void {
  if (!Array.isArray(todos)) return;
  const items = todos.map((todo: unknown) => {
    const status = textOf(fieldOf(todo, 'status'));
    const text = textOf(fieldOf(todo, 'content')) ?? JSON.stringify(taken(todo));
    return { text, ...(status === null ? {} : { status }) };
  });
  draft.event('agent.plan.updated', { items }, unit);
}
