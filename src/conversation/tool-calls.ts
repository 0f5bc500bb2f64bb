import type { RaspEvent, ToolKind } from '../protocol/index.ts';
import type { Emit } from './emitter.ts';
import { summarizeToolCall } from './tool-summary.ts';

type ToolEvent = RaspEvent<'tool.call.started' | 'tool.call.completed' | 'tool.call.failed'>;

export interface ToolCalls {
  startAttempt(): void;
  started(event: ToolEvent): void;
  ended(event: ToolEvent, state: 'completed' | 'failed'): void;
}

interface OpenCall {
  seq: number;
  summary: string;
  kind: ToolKind | undefined;
}

/** Calls that never end must not pile up; no agent has this many in progress at once. */
const MAX_OPEN_CALLS = 1024;

/** Tool calls, each end tied to its beginning. */
export function createToolCalls(emit: Emit): ToolCalls {
  const open = new Map<string, OpenCall>();

  return {
    startAttempt: () => open.clear(),

    started(event) {
      const { call_id, name, kind } = event.data;
      const summary = summarizeToolCall(event.data);
      const data = { call_id, name, ...(kind ? { kind } : {}), summary, state: 'started' as const };
      const seq = emit('assistant.tool_call', data, event);
      // An engine may report a call again while it is in progress; the first message is its start.
      open.set(call_id, { seq: open.get(call_id)?.seq ?? seq, summary, kind });
      if (open.size > MAX_OPEN_CALLS) open.delete(open.keys().next().value!);
    },

    ended(event, state) {
      const { call_id, name } = event.data;
      const call = open.get(call_id);
      open.delete(call_id);
      const summary = summaryOf(event, call);
      const duration_ms = durationOf(event);
      const kind = event.data.kind ?? call?.kind;
      const data = {
        call_id,
        name,
        ...(kind ? { kind } : {}),
        summary,
        state,
        ...(duration_ms === undefined ? {} : { duration_ms }),
      };
      const correlation = call ? { ...event.correlation, started_seq: call.seq } : event.correlation;
      emit('assistant.tool_call', data, event, { correlation });
    },
  };
}

/** Engines that repeat the arguments at the end often know them better by then; most do not repeat them. */
function summaryOf({ data }: ToolEvent, call: OpenCall | undefined): string {
  if (!call) return summarizeToolCall(data);
  if (data.arguments === undefined || data.arguments === null) return call.summary;
  const kind = data.kind ?? call.kind;
  return summarizeToolCall({ name: data.name, arguments: data.arguments, ...(kind ? { kind } : {}) });
}

function durationOf({ data }: ToolEvent): number | undefined {
  if (data.duration_ms !== undefined) return data.duration_ms;
  if (data.started_at === undefined || data.ended_at === undefined) return undefined;
  return Math.max(0, Date.parse(data.ended_at) - Date.parse(data.started_at));
}
