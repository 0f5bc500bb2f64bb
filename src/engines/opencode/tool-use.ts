import type { RaspData, ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, isoTime, type JsonObject, numberOf, taken, textOf } from '../json-value.ts';
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

/** A call is printed when it is over, so its start is taken from the same line; false if a required field is missing. */
export function readToolUse(draft: Drafter, part: JsonObject, unit: Unit): boolean {
  const name = textOf(part.tool);
  const { state } = part;
  if (name === null || !isObject(state)) return false;
  const { status } = state;
  if (status !== 'completed' && status !== 'error') return false;
  if (fieldOf(state, 'time', 'compacted') !== undefined) {
    // Not a new call: the result of an old one was left out of the model's context.
    draft.phase('tool_use.compacted', unit);
    return true;
  }
  // The model's own call id may come again in a later step; that of the part does not.
  const id = textOf(part.id) ?? draft.derivedId(unit);
  const call = {
    call_id: id,
    name,
    kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other',
    arguments: taken(state.input),
  };
  const { started_at, ...end } = timesOf(state);
  const exit = fieldOf(state, 'metadata', 'exit');
  const result = {
    result: taken(status === 'error' ? state.error : state.output),
    ...(exit === undefined ? {} : { exit_code: integerOf(exit) }),
    ...end,
  };
  const began = started_at === undefined ? call : { ...call, started_at };
  const correlation = { correlation: { call_id: id } };
  draft.event('tool.call.started', began, unit, correlation);
  draft.event(
    status === 'error' ? 'tool.call.failed' : 'tool.call.completed',
    { ...began, ...result },
    unit,
    correlation,
  );
  if (name === 'todowrite' && status === 'completed') readPlan(draft, fieldOf(state, 'input', 'todos'), unit);
  return true;
}

type Times = Pick<RaspData<'tool.call.completed'>, 'started_at' | 'ended_at' | 'duration_ms'>;

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
