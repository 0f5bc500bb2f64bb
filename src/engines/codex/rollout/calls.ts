import type { ToolKind } from '../../../protocol/index.ts';
import type { Drafter } from '../../drafter.ts';
import { fieldOf, integerOf, isObject, isoTime, type JsonObject, listOf, taken, textOf } from '../../json-value.ts';
import { RecentMap } from '../../recent-map.ts';
import type { Unit } from '../../unit.ts';
import { type Call, callOf, ended, hasFailed } from '../items.ts';
import { commandText, durationOf, textsOf, toolItem } from './tool-items.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  shell: 'command',
  shell_command: 'command',
  local_shell: 'command',
  exec: 'command',
  exec_command: 'command',
  write_stdin: 'command',
  unified_exec: 'command',
  apply_patch: 'file',
  view_image: 'file',
  read_file: 'file',
  list_dir: 'file',
  grep_files: 'search',
  web_search: 'search',
  tool_search: 'search',
  spawn_agent: 'agent',
  send_input: 'agent',
  wait_agent: 'agent',
  close_agent: 'agent',
  followup_task: 'agent',
};

const EXIT_CODES = [/^Exit code: (\d+)/m, /^Process exited with code (\d+)/m, /"exit_code":\s?(\d+)/];

interface OpenCall {
  name: string;
  kind: ToolKind;
  /** Set for a script of calls: it is shown only if no call of it is. */
  script: { unit: Unit; input: unknown } | null;
}

export interface RolloutCalls {
  /** The model calls a tool; false when the item lacks what makes it a call. */
  called(item: JsonObject, unit: Unit): boolean;
  /** What the model was told of a call. */
  answered(item: JsonObject, unit: Unit): boolean;
  /** A call that the model service made itself. */
  served(item: JsonObject, name: string, unit: Unit): void;
  /** What codex did, with the details; false when it is not a tool call. */
  done(item: JsonObject, unit: Unit): boolean;
}

/** Tool calls. Newer versions let the model write scripts (`exec`) whose calls are items with ids of their own. */
export function createRolloutCalls(draft: Drafter): RolloutCalls {
  const open = new RecentMap<string, OpenCall>();
  const finished = new RecentMap<string, true>();

  const idOf = (id: string) => draft.attemptId(id);
  const about = (id: string) => ({ correlation: { call_id: idOf(id) } });

  function start(id: string, name: string, kind: ToolKind, args: unknown, unit: Unit): void {
    draft.event('tool.call.started', { call_id: idOf(id), name, kind, arguments: taken(args) }, unit, about(id));
  }

  function end(id: string, call: Call, failed: boolean, unit: Unit): void {
    open.delete(id);
    finished.set(id, true);
    draft.event(failed ? 'tool.call.failed' : 'tool.call.completed', call, unit, about(id));
  }

  function called(item: JsonObject, unit: Unit): boolean {
    const id = textOf(item.call_id);
    const name = textOf(item.name) ?? (item.type === 'local_shell_call' ? 'local_shell' : null);
    if (id === null || name === null) return false;
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name]! : item.namespace === undefined ? 'other' : 'mcp';
    const args = argumentsOf(item);
    if (name === 'update_plan' && readPlan(args, unit)) {
      finished.set(id, true);
      return true;
    }
    const script = item.type === 'custom_tool_call' && name === 'exec' ? { unit, input: args } : null;
    open.set(id, { name, kind, script });
    if (script) draft.phase('response_item.custom_tool_call', unit);
    else start(id, name, kind, args, unit);
    return true;
  }

  function readPlan(args: unknown, unit: Unit): boolean {
    const plan = fieldOf(args, 'plan');
    if (!Array.isArray(plan)) return false;
    const items = listOf(plan).map((entry) => ({
      text: textOf(fieldOf(entry, 'step')) ?? JSON.stringify(taken(entry)),
      status: textOf(fieldOf(entry, 'status')) ?? 'pending',
    }));
    draft.event('agent.plan.updated', { items }, unit);
    return true;
  }

  function answered(item: JsonObject, unit: Unit): boolean {
    const id = textOf(item.call_id);
    if (id === null) return false;
    const call = open.get(id);
    if (finished.has(id) && !call) {
      draft.phase('response_item.output', unit);
      return true;
    }
    const { name, kind, script } = call ?? { name: 'unknown', kind: 'other' as const, script: null };
    if (!call) start(id, name, kind, undefined, unit);
    else if (script) start(id, name, kind, script.input, script.unit);
    const text = textsOf(fieldOf(item.output, 'content') ?? item.output).join('\n');
    const exit = EXIT_CODES.map((pattern) => pattern.exec(text)?.[1]).find((code) => code !== undefined);
    const exitCode = kind === 'command' && exit !== undefined ? integerOf(Number(exit)) : null;
    const failed = fieldOf(item.output, 'success') === false || (exitCode !== null && exitCode !== 0);
    const result = taken(item.output);
    const more = exitCode === null ? {} : { exit_code: exitCode };
    end(id, { call_id: idOf(id), name, kind, result, ...more } as Call, failed, unit);
    return true;
  }

  function served(item: JsonObject, name: string, unit: Unit): void {
    const id = textOf(item.id) ?? draft.derivedId(unit);
    if (finished.has(id)) {
      draft.phase(`response_item.${name}`, unit);
      return;
    }
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name]! : 'other';
    start(id, name, kind, item.action, unit);
    end(id, { call_id: idOf(id), name, kind } as Call, hasFailed(item), unit);
  }

  /** What they do is shown by its own items. */
  function hideScripts(): void {
    for (const [id, { script }] of open) {
      if (!script) continue;
      open.delete(id);
      finished.set(id, true);
    }
  }

  function done(item: JsonObject, unit: Unit): boolean {
    const printed = toolItem(item);
    const id = textOf(item.id) ?? draft.derivedId(unit);
    const call = printed && callOf(printed.type, idOf(id), printed);
    if (!printed || !call) return false;
    // Written when the call has ended, and possibly again.
    if (finished.has(id)) {
      draft.phase('event_msg.item_completed', unit);
      return true;
    }
    if (!open.has(id)) {
      hideScripts();
      draft.event('tool.call.started', call, unit, about(id));
    }
    const times = { started_at: isoTime(item.started_at_ms), ended_at: isoTime(item.completed_at_ms) };
    const duration = durationOf(item);
    const whole: Call = { ...ended(call, printed.type, printed) };
    if (duration !== null) whole.duration_ms = duration;
    if (times.started_at !== null) whole.started_at = times.started_at;
    if (times.ended_at !== null) whole.ended_at = times.ended_at;
    end(id, whole, hasFailed(printed), unit);
    return true;
  }

  return { called, answered, served, done };
}

/** Arguments are JSON in a string; those of a shell are a list of words. */
function argumentsOf(item: JsonObject): unknown {
  const given = item.arguments ?? item.input ?? item.action;
  const value = typeof given === 'string' && item.type !== 'custom_tool_call' ? parsed(given) : given;
  const command = fieldOf(value, 'command') ?? fieldOf(value, 'cmd');
  if (!isObject(value)) return item.type === 'custom_tool_call' ? { input: value } : value;
  return command === undefined ? value : { ...value, command: commandText(command) ?? command };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json; // As the model wrote it.
  }
}
