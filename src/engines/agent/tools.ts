import type { ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, integerOf, isObject, type JsonObject, listOf, numberOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';
import type { LoggedRun } from './runs.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  shell_exec: 'command',
  shell_command: 'command',
  exec_command: 'command',
  write_stdin: 'command',
  skill_exec: 'command',
  file_read: 'file',
  file_write: 'file',
  read_file: 'file',
  list_dir: 'file',
  apply_patch: 'file',
  skill_ref_read: 'file',
  grep_files: 'search',
  spawn_agent: 'agent',
  wait: 'agent',
  send_input: 'agent',
  close_agent: 'agent',
  resume_agent: 'agent',
};

interface Call {
  name: string;
  arguments: unknown;
  isStarted: boolean;
}

export interface ToolReader {
  /** The model wants to make a call; false if the line lacks what makes it one. */
  wanted(data: JsonObject, run: LoggedRun): boolean;
  started(data: JsonObject, run: LoggedRun, unit: Unit): boolean;
  finished(data: JsonObject, run: LoggedRun, unit: Unit): boolean;
}

/** Tool calls. Their start is that of the work: a call that is denied, or waits for an approval, has not started. */
export function createToolReader(draft: Drafter): ToolReader {
  const calls = new RecentMap<string, Call>();

  function idOf({ step, call_id }: JsonObject, run: LoggedRun): string | null {
    const id = textOf(call_id);
    const number = integerOf(step);
    if (id === null || number === null) return null;
    // Ids of providers may repeat from step to step.
    const own = `${number}.${id}`;
    const known = run.idOf(own);
    run.calls.set(id, known);
    run.calls.set(own, known);
    return known;
  }

  function start(id: string, call: Call, run: LoggedRun, unit: Unit): void {
    call.isStarted = true;
    const data = { call_id: id, name: call.name, kind: kindOf(call.name), arguments: taken(call.arguments) };
    draft.event('tool.call.started', data, unit, run.about({ call_id: id }));
  }

  return {
    wanted(data, run) {
      const id = idOf(data, run);
      const name = textOf(data.name);
      if (id === null || name === null) return false;
      calls.set(id, { name, arguments: data.arguments, isStarted: calls.get(id)?.isStarted ?? false });
      return true;
    },
    started(data, run, unit) {
      const id = idOf(data, run);
      if (id === null) return false;
      const call = calls.get(id) ?? { name: 'unknown', arguments: null, isStarted: false };
      calls.set(id, call);
      start(id, call, run, unit);
      return true;
    },
    finished(data, run, unit) {
      const id = idOf(data, run);
      const { result } = data;
      if (id === null || !isObject(result)) return false;
      const call = calls.get(id) ?? { name: 'unknown', arguments: null, isStarted: false };
      calls.delete(id);
      // One that was refused, or answered without any work.
      if (!call.isStarted) start(id, call, run, unit);
      end(draft, { id, call, result }, run, unit);
      return true;
    },
  };
}

function end(
  draft: Drafter,
  { id, call, result }: { id: string; call: Call; result: JsonObject },
  run: LoggedRun,
  unit: Unit,
): void {
  const kind = kindOf(call.name);
  const exit_code = integerOf(result.exit_code);
  const duration = numberOf(result.duration_ms);
  const text = resultText(result);
  const data = {
    call_id: id,
    name: call.name,
    kind,
    arguments: taken(call.arguments),
    result: text,
    ...(exit_code === null && kind !== 'command' ? {} : { exit_code }),
    ...(duration === null ? {} : { duration_ms: duration }),
  };
  const printed = text === textOf(result.stdout) ? { printed: { member: 'result', as: 'stdout' } } : {};
  const type = result.ok === true ? 'tool.call.completed' : 'tool.call.failed';
  draft.event(type, data, unit, { ...run.about({ call_id: id }), ...printed });
  const plan = fieldOf(result, 'data', 'plan');
  if (call.name !== 'update_plan' || !Array.isArray(plan)) return;
  const items = listOf(plan).map((item) => {
    const status = textOf(fieldOf(item, 'status'));
    return {
      text: textOf(fieldOf(item, 'step')) ?? JSON.stringify(taken(item)),
      ...(status === null ? {} : { status }),
    };
  });
  draft.event('agent.plan.updated', { items }, unit, run.about());
}

/** What was printed, or what went wrong; both if both are there. */
function resultText({ stdout, stderr }: JsonObject): string {
  const [out, err] = [textOf(stdout) ?? '', textOf(stderr) ?? ''];
  return out === '' || err === '' ? out || err : `${out}\n${err}`;
}

function kindOf(name: string): ToolKind {
  if (Object.hasOwn(KINDS, name)) return KINDS[name]!;
  return /^mcp[_:.-]/.test(name) ? 'mcp' : 'other';
}
