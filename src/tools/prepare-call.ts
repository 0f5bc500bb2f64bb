import { nearest } from '../config/nearest-key.ts';
import type { HumanQuestion, ToolAction, ToolErrorKind, ToolResult } from '../protocol/index.ts';
import type { SchemaCheck, SchemaViolation } from '../skills/package/json-schema.ts';
import type { InputIssue, Tool, ToolPlace } from './tool.ts';

/** Where a call works, and the keyed digest of contents that are not logged. */
export interface CallPlace extends ToolPlace {
  digest(content: string): string;
}

/** A call that may run if the policy agrees. */
export interface PreparedCall {
  ok: true;
  tool: Tool;
  input: unknown;
  /** The arguments as they may be logged. */
  logged: unknown;
  actions: ToolAction[];
  /** What to ask a person, whose answer is the result; null for a tool that is executed. */
  questions: HumanQuestion['questions'] | null;
}

/** A call that cannot run, with the result that tells the model why. */
export interface RejectedCall {
  ok: false;
  logged: unknown;
  result: ToolResult;
}

/** Checks the arguments of a call, and finds out what it is about to do. Nothing is done. */
export async function prepareCall(
  tool: Tool,
  check: SchemaCheck,
  value: unknown,
  place: CallPlace,
): Promise<PreparedCall | RejectedCall> {
  const rejected = (result: ToolResult) => rejectCall(tool, value, place, result);
  const violations = check(value);
  if (violations.length > 0) return rejected(invalidArguments(tool.name, violations));
  let input = value;
  try {
    const parsed = await tool.parse?.(value);
    if (parsed?.issues) return rejected(invalidArguments(tool.name, parsed.issues.map(violationOf)));
    if (parsed) input = parsed.value;
    return {
      ok: true,
      tool,
      input,
      logged: tool.redact ? tool.redact(input, place.digest) : value,
      actions: tool.actions?.(input, place) ?? [],
      questions: tool.questions?.(input) ?? null,
    };
  } catch (error) {
    // Without its actions the policy cannot judge the call.
    return rejected(failedResult('failed', `${tool.name} could not be prepared: ${(error as Error).message}`));
  }
}

export function rejectCall(tool: Tool, value: unknown, place: CallPlace, result: ToolResult): RejectedCall {
  return { ok: false, logged: redactAll(tool, value, place), result };
}

export function unknownTool(name: string, names: readonly string[]): ToolResult {
  const near = nearest(
    name,
    names.map((word) => ({ word })),
  )?.word;
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  const known = names.length === 0 ? 'There are no tools.' : `Tools are: ${names.join(', ')}.`;
  const what = `there is no tool ${JSON.stringify(name.slice(0, 100))}.${meant} ${known}`;
  return failedResult('unknown_tool', what, { nearest: near ?? null });
}

function invalidArguments(name: string, violations: readonly SchemaViolation[]): ToolResult {
  const lines = violations.map(({ path, message }) => `- ${path === '' ? 'arguments' : path}: ${message}`);
  const text = `the arguments of ${name} are not valid:\n${lines.join('\n')}\nCorrect them and call it again.`;
  const data = { violations: violations.map(({ path, message }) => ({ path, message })) };
  return { ...failedResult('invalid_arguments', text, data), retryable: true };
}

/** The result of a call that failed. */
export function failedResult(kind: ToolErrorKind, message: string, data: ToolResult['data'] = null): ToolResult {
  return {
    ok: false,
    stdout: '',
    stderr: message,
    exit_code: null,
    duration_ms: 0,
    truncated: false,
    data,
    error_kind: kind,
    retryable: false,
  };
}

function violationOf({ path = [], message }: InputIssue): SchemaViolation {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  const pointer = keys.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return { path: pointer, message };
}

/** Invalid arguments of a tool with something to redact: it cannot tell where that is, so no text is logged. */
function redactAll(tool: Tool, value: unknown, place: CallPlace): unknown {
  if (!tool.redact) return value;
  const redact = (inner: unknown): unknown => {
    if (typeof inner === 'string') return place.digest(inner);
    if (Array.isArray(inner)) return inner.map(redact);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, redact(item)]));
  };
  return redact(value);
}
