import type { ToolKind } from '../../protocol/index.ts';
import type { Drafter, DraftOptions } from '../drafter.ts';
import {
  fieldOf,
  integerOf,
  isObject,
  isoTime,
  type JsonObject,
  listOf,
  numberOf,
  taken,
  textOf,
} from '../json-value.ts';
import { RecentMap } from '../recent-map.ts';
import type { Unit } from '../unit.ts';
import type { StreamJsonDialect } from './dialect.ts';
import { createPlan } from './plan.ts';
import { toolKind } from './tool-kinds.ts';

interface OpenCall {
  name: string;
  kind: ToolKind;
  /** The tool really called, and with what. */
  tool: string;
  input: unknown;
  startedAt: string | null;
}

/** What an event says of a call beside the block: whose call it is, when it was, what the engine knows of its outcome. */
export interface CallContext {
  parent: string | null;
  time: unknown;
  details?: unknown;
}

export interface Calls {
  /** False when the block lacks what makes it a call. */
  start(block: JsonObject, context: CallContext, unit: Unit): boolean;
  end(block: JsonObject, context: CallContext, unit: Unit): boolean;
  /** How an event of a sub-agent is tied to the call that started it. */
  inside(parent: string | null): DraftOptions;
  /** The call of the sub-agent that began last and has not ended; null if there is none. */
  openAgent(): string | null;
}

export function createCalls(draft: Drafter, dialect: StreamJsonDialect): Calls {
  const open = new RecentMap<string, OpenCall>();
  const plan = createPlan(draft);
  const idOf = (id: string) => (dialect.uniqueCallIds ? id : draft.attemptId(id));

  function inside(parent: string | null): DraftOptions {
    return parent === null ? {} : { correlation: { parent: idOf(parent) } };
  }

  function ofCall(id: string, parent: string | null): DraftOptions {
    return { correlation: { call_id: id, ...inside(parent).correlation } };
  }

  function start(block: JsonObject, { parent, time }: CallContext, unit: Unit): boolean {
    const blockId = textOf(block.id);
    const name = textOf(block.name);
    if (blockId === null || name === null) return false;
    const id = idOf(blockId);
    const bridged = name === dialect.bridgeTool ? textOf(fieldOf(block.input, 'name')) : null;
    const tool = bridged ?? name;
    const kind = block.type === 'mcp_tool_use' ? 'mcp' : toolKind(tool);
    const input = bridged === null ? block.input : fieldOf(block.input, 'arguments');
    const startedAt = isoTime(time);
    open.set(id, { name, kind, tool, input, startedAt });
    const server = textOf(block.server_name);
    const given = taken(block.input);
    draft.event(
      'tool.call.started',
      {
        call_id: id,
        name,
        kind,
        arguments: server === null ? given : { server, arguments: given },
        ...(startedAt === null ? {} : { started_at: startedAt }),
      },
      unit,
      ofCall(id, parent),
    );
    plan.called(tool, input, unit, inside(parent));
    return true;
  }

  function end(block: JsonObject, { parent, time, details }: CallContext, unit: Unit): boolean {
    const blockId = textOf(block.tool_use_id);
    if (blockId === null || !mayBeFlag(block.is_error)) return false;
    const id = idOf(blockId);
    const call = open.get(id) ?? unseenCall();
    const { name, kind } = call;
    if (!open.delete(id)) draft.event('tool.call.started', { call_id: id, name, kind }, unit, ofCall(id, parent));
    const failed = block.is_error === true || /_error$/.test(textOf(fieldOf(block.content, 'type')) ?? '');
    const exit = failed && kind === 'command' ? dialect.exitCode.exec(textIn(block.content)) : null;
    const exitCode = exit ? integerOf(Number(exit[1])) : null;
    const endedAt = isoTime(time);
    const duration = numberOf(fieldOf(details, 'totalDurationMs')) ?? numberOf(fieldOf(details, 'durationMs'));
    draft.event(
      failed ? 'tool.call.failed' : 'tool.call.completed',
      {
        call_id: id,
        name,
        kind,
        ...(block.content === undefined ? {} : { result: taken(block.content) }),
        ...(exitCode === null ? {} : { exit_code: exitCode }),
        ...(duration === null ? {} : { duration_ms: duration }),
        ...(call.startedAt === null ? {} : { started_at: call.startedAt }),
        ...(endedAt === null ? {} : { ended_at: endedAt }),
      },
      unit,
      { ...ofCall(id, parent), printed: { member: 'result', as: 'content' } },
    );
    if (!failed) plan.succeeded(call.tool, call.input, details, unit, inside(parent));
    return true;
  }

  return { start, end, inside, openAgent: () => [...open].findLast(([, { kind }]) => kind === 'agent')?.[0] ?? null };
}

/** A result whose call was not printed, or not readably. */
function unseenCall(): OpenCall {
  return { name: 'unknown', kind: 'other', tool: '', input: null, startedAt: null };
}

function mayBeFlag(value: unknown): boolean {
  return value === undefined || value === null || typeof value === 'boolean';
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const texts = listOf(content).map((part) => (isObject(part) ? textOf(part.text) : null));
  return texts.filter((text) => text !== null).join('\n');
}
