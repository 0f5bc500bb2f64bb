import type { ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { fieldOf, type JsonObject, listOf, taken, textOf } from '../json-value.ts';
import { createQuietUnits, type QuietUnits } from '../quiet-units.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';

const KINDS: Readonly<Record<string, ToolKind>> = {
  bash: 'command',
  read: 'file',
  write: 'file',
  edit: 'file',
  ls: 'file',
  grep: 'search',
  find: 'search',
};

/** How pi ends the result of a failed command, the only place with the exit code. */
const EXIT_CODE = /\n\nCommand exited with code (\d{1,3})$/;

export interface ToolReader {
  /** False when the event lacks what makes it a call. */
  read(type: string, event: JsonObject, unit: Unit): boolean;
  end(): void;
}

/** Tool calls. Several may be at work at once, so updates of them come in any order. */
export function createToolReader(draft: Drafter): ToolReader {
  /** By the engine's id; the updates show the result so far and become evidence of the whole one. */
  const open = new RecentMap<string, QuietUnits>(cover);

  function start(id: string, name: string, event: JsonObject, unit: Unit): QuietUnits {
    const updates = createQuietUnits();
    cover(open.get(id));
    open.set(id, updates);
    draft.event('tool.call.started', { ...callOf(id, name), arguments: taken(event.args) }, unit, correlate(id));
    return updates;
  }

  function finish(id: string, name: string, event: JsonObject, unit: Unit): void {
    const updates = open.get(id) ?? start(id, name, event, unit);
    open.delete(id);
    const failed = event.isError === true;
    const exit = failed && name === 'bash' ? EXIT_CODE.exec(lastTextOf(event.result))?.[1] : undefined;
    const data = {
      ...callOf(id, name),
      result: taken(event.result),
      ...(exit === undefined ? {} : { exit_code: Number(exit) }),
    };
    draft.event(failed ? 'tool.call.failed' : 'tool.call.completed', data, [...updates.take(), unit], correlate(id));
  }

  /** A call that never ended. */
  function cover(updates: QuietUnits | undefined): void {
    const units = updates?.take() ?? [];
    if (units.length > 0) draft.phase('tool_execution_update', units);
  }

  /** Model services may number calls anew in each session. */
  function callOf(id: string, name: string) {
    return { call_id: draft.attemptId(id), name, kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : ('other' as const) };
  }

  function correlate(id: string) {
    return { correlation: { call_id: draft.attemptId(id) } };
  }

  return {
    read(type, event, unit) {
      const id = textOf(event.toolCallId);
      const name = textOf(event.toolName);
      if (id === null || name === null) return false;
      if (type === 'tool_execution_start') start(id, name, event, unit);
      else if (type === 'tool_execution_end') finish(id, name, event, unit);
      else (open.get(id) ?? start(id, name, event, unit)).add(unit);
      return true;
    },
    end() {
      for (const updates of open.values()) cover(updates);
    },
  };
}

function lastTextOf(result: unknown): string {
  return textOf(fieldOf(listOf(fieldOf(result, 'content')).at(-1), 'text')) ?? '';
}
