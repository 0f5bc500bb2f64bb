import type { ToolResult } from '../protocol/index.ts';
import type { ToolContext } from './context.ts';
import { failedResult, type PreparedCall } from './prepare-call.ts';
import type { ToolAnswer } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';
import { truncateText } from './truncate-text.ts';

export interface ExecuteOptions {
  /** Milliseconds that never go back. */
  now(): number;
  /** Of stdout, of stderr and of data as JSON, each. */
  maxOutputChars: number;
  /** How long a call that was cancelled gets to stop by itself. */
  cancelGraceMs: number;
  /** Gets the output of a call if the result does not have all of it. */
  keepOutput?: ((output: { stdout: string; stderr: string }) => void) | undefined;
}

/** Runs a call to its end. Never throws: whatever happens is the result. */
export async function executeCall(
  call: PreparedCall,
  context: ToolContext,
  options: ExecuteOptions,
): Promise<ToolResult> {
  const before = options.now();
  const result = await answerOf(call, context, options).catch((error) => failureOf(error, context.signal));
  const stdout = truncateText(result.stdout, options.maxOutputChars);
  const stderr = truncateText(result.stderr, options.maxOutputChars);
  if (stdout.truncated || stderr.truncated) {
    options.keepOutput?.({ stdout: result.stdout, stderr: result.stderr });
  }
  return {
    ...result,
    stdout: stdout.text,
    stderr: stderr.text,
    truncated: result.truncated || stdout.truncated || stderr.truncated,
    duration_ms: Math.max(0, options.now() - before),
  };
}

async function answerOf(
  { tool, input }: PreparedCall,
  context: ToolContext,
  { cancelGraceMs, maxOutputChars }: ExecuteOptions,
): Promise<ToolResult> {
  const { signal } = context;
  signal.throwIfAborted();
  let timer: NodeJS.Timeout | undefined;
  let onAbort = () => {};
  // A tool that ignores the signal must not keep a run from ending.
  const abandoned = new Promise<never>((_, reject) => {
    onAbort = () => {
      timer = setTimeout(() => reject(new ToolFailure('cancelled', NOT_STOPPED)), cancelGraceMs);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    const answer = await Promise.race([Promise.resolve().then(() => tool.execute(input, context)), abandoned]);
    return completeResult(tool.name, answer, maxOutputChars);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

const NOT_STOPPED = 'the call was cancelled, and did not stop in time; it is unknown what it did';

function completeResult(name: string, answer: ToolAnswer, maxChars: number): ToolResult {
  if (typeof answer === 'string') return { ...failedResult('failed', ''), ok: true, stdout: answer, error_kind: null };
  if (typeof answer !== 'object' || answer === null || typeof answer.ok !== 'boolean') {
    throw new ToolFailure('failed', `${name} returned ${typeof answer}; a tool returns text or an object with ok`);
  }
  const { ok, stdout = '', stderr = '', exit_code = null, truncated = false, retryable = false } = answer;
  const data = jsonOf(name, answer.data);
  // Unlike text, half of a JSON value is of no use.
  const isTooLarge = JSON.stringify(data).length > maxChars;
  return {
    ok,
    stdout: String(stdout),
    stderr: String(stderr),
    exit_code,
    duration_ms: 0,
    truncated: truncated || isTooLarge,
    data: isTooLarge ? null : data,
    error_kind: ok ? null : (answer.error_kind ?? 'failed'),
    retryable,
  };
}

function jsonOf(name: string, data: unknown): ToolResult['data'] {
  if (data === undefined) return null;
  try {
    return JSON.parse(JSON.stringify(data) ?? 'null') as ToolResult['data'];
  } catch (cause) {
    throw new ToolFailure('failed', `${name} returned data that is not JSON: ${(cause as Error).message}`);
  }
}

function failureOf(error: unknown, signal: AbortSignal): ToolResult {
  if (error instanceof ToolFailure) {
    return { ...failedResult(error.kind, error.message, error.data), retryable: error.retryable };
  }
  if (signal.aborted) return failedResult('cancelled', 'the call was cancelled');
  return failedResult('failed', error instanceof Error ? error.message || error.name : String(error));
}
