import type { FcmpMessage } from '../../protocol/index.ts';
import { formatDuration } from '../output/format.ts';
import { elapsed } from './activity.ts';
import { columnsOf, cutToColumns } from './columns.ts';
import type { Colors, Page } from './page.ts';
import { sanitizeOneLine } from './sanitize.ts';

export interface ToolLines {
  show(message: FcmpMessage<'assistant.tool_call'>): void;
  /** Lines for the running calls. */
  live(nowMs: number | null): string[];
  /** Columns of indentation for content inside a call. */
  indentUnder(callId: string | null): number;
  /** The attempt has ended: shows calls without a reported end as unknown. */
  endAttempt(): void;
}

interface Call {
  id: string;
  name: string;
  summary: string;
  parent: string | null;
  startedMs: number;
}

const STEP = 2;
const MAX_DEPTH = 4;
const MAX_LIVE = 5;

/** Tool calls, one line each, in the order they end. */
export function createToolLines(page: Page): ToolLines {
  const known = new Map<string, Call>();
  const running = new Set<string>();

  function indentUnder(callId: string | null): number {
    return Math.min(chainOf(callId).length * STEP, Math.floor(page.screen.columns / 4));
  }

  function render(call: Call, line: Omit<ToolLine, 'name' | 'summary'>, columns = page.screen.columns): string {
    const { name, summary, parent } = call;
    const indent = indentUnder(parent);
    return ' '.repeat(indent) + paintToolLine({ ...line, name, summary }, page.colors, columns - indent);
  }

  /** A call and the calls that contain it, innermost first. */
  function chainOf(callId: string | null): string[] {
    const chain: string[] = [];
    for (let id = callId; id && chain.length < MAX_DEPTH; id = known.get(id)?.parent ?? null) chain.push(id);
    return chain;
  }

  function print(call: Call, line: Omit<ToolLine, 'name' | 'summary'>): void {
    const { parent } = call;
    // Parallel sub-agents interleave their lines: repeat the parent's line before a line of another one.
    const above = parent !== null && !page.under.includes(parent) ? known.get(parent) : undefined;
    if (above) page.lines('work', [render(above, { sign: 'running', time: '' })]);
    page.lines('work', [render(call, line)]);
    page.under = chainOf(line.sign === 'running' ? call.id : parent);
  }

  return {
    indentUnder,

    show(message) {
      const { data, ts } = message;
      const before = known.get(data.call_id);
      const parent = parentOf(message) ?? before?.parent ?? null;
      const startedMs = before?.startedMs ?? Date.parse(ts);
      const call = { id: data.call_id, name: data.name, summary: data.summary, parent, startedMs };
      known.set(call.id, call);
      if (data.state !== 'started') {
        running.delete(call.id);
        print(call, { sign: data.state, time: tookTime(data.duration_ms) });
      } else if (!running.has(call.id)) {
        running.add(call.id);
        if (page.screen.rewrites) page.close();
        else print(call, { sign: 'running', time: '' });
      }
    },

    live(nowMs) {
      const calls = [...running].map((id) => known.get(id)!);
      const shown = calls.slice(0, calls.length > MAX_LIVE ? MAX_LIVE - 1 : MAX_LIVE);
      const lines = shown.map((call) => {
        const time = nowMs === null ? '' : elapsed(call.startedMs, nowMs);
        return render(call, { sign: 'running', time }, page.screen.columns - 1);
      });
      const more = calls.length - shown.length;
      return more > 0 ? [...lines, page.colors.dim(`⚙ ${more} more at work`)] : lines;
    },

    endAttempt() {
      for (const id of running) print(known.get(id)!, { sign: 'unknown', time: '' });
      running.clear();
      known.clear();
    },
  };
}

function tookTime(durationMs: number | undefined): string {
  return durationMs !== undefined && durationMs >= 0 ? `  ${formatDuration(durationMs)}` : '';
}

/** The call that contains a message. */
export function parentOf({ correlation }: FcmpMessage): string | null {
  return typeof correlation.parent === 'string' ? correlation.parent : null;
}

interface ToolLine {
  /** `unknown`: the attempt has ended and the end of the call was never reported. */
  sign: 'running' | 'completed' | 'failed' | 'unknown';
  name: string;
  summary: string;
  /** Duration so far or in total; empty if unknown. */
  time: string;
}

/** `✔ name  summary  0.4 s`; the summary is cut so that the line fits. */
function paintToolLine(line: ToolLine, colors: Colors, columns: number): string {
  const name = cutToColumns(sanitizeOneLine(line.name) || 'tool', Math.floor(columns / 2));
  const end = line.sign === 'unknown' ? '  no end seen' : line.time;
  const whole = sanitizeOneLine(line.summary);
  const room = columns - 2 - columnsOf(name) - 2 - columnsOf(end);
  const summary = whole === '' || whole === line.name || room < 4 ? '' : `  ${cutToColumns(whole, room)}`;
  const tail = columnsOf(name) + 2 + columnsOf(summary + end) <= columns ? end : '';
  switch (line.sign) {
    case 'running':
      return colors.dim(`⚙ ${name}${summary}${tail}`);
    case 'completed':
      return `${colors.green('✔')} ${name}${colors.dim(`${summary}${tail}`)}`;
    case 'failed':
      return `${colors.red(`✖ ${name}`)}${colors.dim(`${summary}${tail}`)}`;
    case 'unknown':
      return `${colors.yellow('◼')} ${colors.dim(`${name}${summary}${tail}`)}`;
  }
}
