import type { ToolKind } from '../../protocol/index.ts';
import type { Drafter } from '../drafter.ts';
import { integerOf, type JsonObject, numberOf, taken, textOf } from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';

const KINDS: Readonly<Record<string, ToolKind>> = { run: 'command', write_file: 'file', read_file: 'file' };

type ReadTool = (type: string, event: JsonObject, unit: Unit) => boolean;

/** Tool calls; false when an event lacks what makes it one. */
export function createToolReader(draft: Drafter): ReadTool {
  /** Arguments of the calls in progress: only the start has them. */
  const open = new RecentMap<string, { arguments: unknown }>();

  return (type, event, unit) => {
    const engineId = textOf(event.id);
    const name = textOf(event.name);
    if (engineId === null || name === null) return false;
    const id = draft.attemptId(engineId);
    const call = { call_id: id, name, kind: Object.hasOwn(KINDS, name) ? KINDS[name]! : ('other' as const) };
    const correlation = { correlation: { call_id: id } };
    if (type === 'tool_started') {
      const started = { arguments: taken(event.arguments) };
      open.set(id, started);
      draft.event('tool.call.started', { ...call, ...started }, unit, correlation);
      return true;
    }
    const started = open.get(id);
    open.delete(id);
    // One that only ends gets a start of its own.
    if (!started) draft.event('tool.call.started', call, unit, correlation);
    const duration = numberOf(event.duration_ms);
    const ended = {
      ...call,
      ...started,
      result: taken(event.result),
      ...(event.exit_code === undefined ? {} : { exit_code: integerOf(event.exit_code) }),
      ...(duration === null ? {} : { duration_ms: duration }),
    };
    draft.event(event.ok === true ? 'tool.call.completed' : 'tool.call.failed', ended, unit, correlation);
    return true;
  };
}
