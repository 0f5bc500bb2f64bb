import type { RaspData, ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, isoTime, type JsonObject, listOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';

/** Both say whether the event is what it should be. */
export interface ToolReader {
  use(event: JsonObject, unit: Unit): boolean;
  result(event: JsonObject, unit: Unit): boolean;
}

type Call = RaspData<'tool.call.started'>;

const KINDS: Readonly<Record<string, ToolKind>> = {
  run_shell_command: 'command',
  write_file: 'file',
  replace: 'file',
  edit: 'file',
  read_file: 'file',
  read_many_files: 'file',
  list_directory: 'file',
  google_web_search: 'search',
  web_fetch: 'search',
  grep_search: 'search',
  search_file_content: 'search',
  glob: 'search',
  invoke_agent: 'agent',
};

export function createToolReader(draft: Drafter): ToolReader {
  const open = new RecentMap<string, Call>();

  function use(event: JsonObject, unit: Unit): boolean {
    const id = textOf(event.tool_id);
    const name = textOf(event.tool_name);
    if (id === null || name === null) return false;
    const at = isoTime(event.timestamp);
    const call: Call = {
      call_id: id,
      name,
      kind: kindOf(name),
      arguments: taken(event.parameters),
      ...(at === null ? {} : { started_at: at }),
    };
    open.set(id, call);
    draft.event('tool.call.started', call, unit, { correlation: { call_id: id } });
    if (name === 'write_todos') readPlan(event.parameters, unit);
    return true;
  }

  function result(event: JsonObject, unit: Unit): boolean {
    const id = textOf(event.tool_id);
    const { status, output, error } = event;
    if (id === null || (status !== 'success' && status !== 'error')) return false;
    const correlation = { correlation: { call_id: id } };
    let call = open.get(id);
    open.delete(id);
    if (!call) {
      call = { call_id: id, name: 'unknown' };
      draft.event('tool.call.started', call, unit, correlation);
    }
    const told = resultOf(output, error);
    const ended: Call = {
      ...call,
      ...(told === undefined ? {} : { result: taken(told) }),
      ...timesOf(call.started_at, isoTime(event.timestamp)),
    };
    const type = status === 'error' ? 'tool.call.failed' : 'tool.call.completed';
    draft.event(type, ended, unit, {
      ...correlation,
      printed: { member: 'result', as: error === undefined ? 'output' : 'error' },
    });
    return true;
  }

  function readPlan(parameters: unknown, unit: Unit): void {
    const items = listOf(fieldOf(parameters, 'todos')).map((entry) => {
      const status = textOf(fieldOf(entry, 'status'));
      const text = textOf(fieldOf(entry, 'description')) ?? JSON.stringify(taken(entry));
      return { text, ...(status === null ? {} : { status }) };
    });
    draft.event('agent.plan.updated', { items }, unit);
  }

  return { use, result };
}

/** Tools of an MCP server carry its name: `mcp_<server>_<tool>`, or `<server>__<tool>` in older versions. */
function kindOf(name: string): ToolKind {
  if (Object.hasOwn(KINDS, name)) return KINDS[name]!;
  return name.startsWith('mcp_') || name.includes('__') ? 'mcp' : 'other';
}

function resultOf(output: unknown, error: unknown): unknown {
  if (error === undefined) return output;
  return output === undefined ? error : { output, error };
}

function timesOf(start: string | undefined, end: string | null): Partial<Call> {
  if (end === null) return {};
  const duration = start === undefined ? -1 : Date.parse(end) - Date.parse(start);
  return { ended_at: end, ...(duration < 0 ? {} : { duration_ms: duration }) };
}
