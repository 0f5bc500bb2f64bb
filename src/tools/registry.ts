import { TachoError } from '../protocol/error-code.ts';
import type { ToolResult } from '../protocol/index.ts';
import type { SchemaCheck } from '../skills/package/json-schema.ts';
import type { ToolContext } from './context.ts';
import { type ExecuteOptions, executeCall } from './execute-call.ts';
import {
  type CallPlace,
  failedResult,
  type PreparedCall,
  prepareCall,
  type RejectedCall,
  rejectCall,
  unknownTool,
} from './prepare-call.ts';
import type { Tool } from './tool.ts';
import { specOf, type ToolSpec } from './tool-spec.ts';

/** Of stdout and of stderr in a result, each; longer output is an artifact. */
export const MAX_OUTPUT_CHARS = 65_536;
const CANCEL_GRACE_MS = 10_000;

/** The tools of an agent. */
export interface ToolRegistry {
  /** By name, always in the same order and with the same bytes. */
  specs(): readonly ToolSpec[];
  get(name: string): Tool | undefined;
  /** Checks a call and finds out what it is about to do. Runs nothing, and does not throw for anything a model sends. */
  prepare(name: string, value: unknown, place: CallPlace): Promise<PreparedCall | RejectedCall>;
  /** Runs a call to its end; whatever happens is the result. */
  execute(call: PreparedCall, context: ToolContext, options?: Pick<ExecuteOptions, 'keepOutput'>): Promise<ToolResult>;
}

/** Throws TOOL_INVALID if two tools have the same name. */
export function createRegistry(
  tools: readonly Tool[],
  {
    now = () => performance.now(),
    maxOutputChars = MAX_OUTPUT_CHARS,
    cancelGraceMs = CANCEL_GRACE_MS,
  }: Partial<ExecuteOptions> = {},
): ToolRegistry {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw duplicate(tool.name);
    byName.set(tool.name, tool);
  }
  const names = [...byName.keys()].sort();
  const specs = Object.freeze(names.map((name) => specOf(byName.get(name)!)));
  const checks = new Map<string, Promise<SchemaCheck | string>>();
  const checkOf = (tool: Tool): Promise<SchemaCheck | string> => {
    const check = checks.get(tool.name) ?? compile(tool);
    checks.set(tool.name, check);
    return check;
  };
  return {
    specs: () => specs,
    get: (name) => byName.get(name),
    prepare: async (name, value, place) => {
      const tool = byName.get(name);
      if (!tool) return { ok: false, logged: value, result: unknownTool(name, names) };
      const check = await checkOf(tool);
      if (typeof check === 'string') return rejectCall(tool, value, place, failedResult('unavailable', check));
      return await prepareCall(tool, check, value, place);
    },
    execute: (call, context, { keepOutput } = {}) =>
      executeCall(call, context, { now, maxOutputChars, cancelGraceMs, keepOutput }),
  };
}

/**
 * A text says why the schema cannot be used. The validator is loaded with the first call: a program that only imports the
 * agent does not pay for it.
 */
async function compile({ name, parameters, untrustedSchema = false }: Tool): Promise<SchemaCheck | string> {
  const { compileSchema } = await import('../skills/package/json-schema.ts');
  try {
    return await compileSchema(parameters, { draft: '2020-12', isTrusted: !untrustedSchema });
  } catch (error) {
    return `the tool ${name} cannot be used: its schema is not valid: ${(error as Error).message}`;
  }
}

function duplicate(name: string): TachoError {
  return new TachoError('TOOL_INVALID', `there are two tools named "${name}"`, {
    facts: { tool: name },
    fix: 'Rename one of them.',
  });
}
