import { assignmentConcern } from '../../approvals/shell/assignments.ts';
import type { CommandOutcome, OmittedBytes } from '../commands/command-runner.ts';
import type { ToolContext } from '../context.ts';
import { leftOutNote } from '../left-out.ts';
import type { JsonSchema, ToolAnswer } from '../tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** What tools that run programs have in common. */
export interface CommandOptions {
  cwd?: string;
  env?: Record<string, string>;
  timeout_ms?: number;
}

export const COMMAND_OPTIONS: JsonSchema = {
  cwd: { type: 'string', description: 'Folder to run in, relative to the workspace (default: the workspace)' },
  env: { type: 'object', additionalProperties: { type: 'string' }, description: 'More environment variables' },
  timeout_ms: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_TIMEOUT_MS,
    description: `Timeout in milliseconds (default: ${DEFAULT_TIMEOUT_MS}, unless the agent sets another)`,
  },
};

/** Variables by name only: their values may be secrets. */
export function redactCommand<T extends CommandOptions>(input: T): unknown {
  return input.env === undefined ? input : { ...input, env: Object.keys(input.env).sort() };
}

/**
 * For the policy: names of variables that may change what programs do, as PATH and BASH_ENV do. Their values, which may
 * be secrets, are not part of an action.
 */
export function notableVariables(env: Readonly<Record<string, string>> = {}): { variables?: string[] } {
  const variables = Object.entries(env).flatMap(([name, value]) => (assignmentConcern(name, value) ? [name] : []));
  return variables.length === 0 ? {} : { variables: variables.sort() };
}

/** Runs a program in the sandbox of the run, and gives its output as the answer. */
export async function runCommand(
  argv: readonly string[],
  { cwd = '.', env = {}, timeout_ms }: CommandOptions,
  context: ToolContext,
  more: { input?: string | undefined; read?: readonly string[] } = {},
): Promise<ToolAnswer> {
  const { timeoutMs: otherwise = DEFAULT_TIMEOUT_MS, maxOutputBytes = 0 } = context.limits ?? {};
  const timeoutMs = timeout_ms ?? otherwise;
  const folder = await context.files.resolveFolder(cwd);
  const outcome = await context.commands.run(
    {
      argv,
      cwd: folder,
      env: { ...context.env, ...env },
      timeoutMs,
      // More than the conversation gets, for the artifact.
      maxOutputBytes: Math.max(MAX_OUTPUT_BYTES, maxOutputBytes),
      ...(more.input === undefined ? {} : { input: more.input }),
      ...(more.read === undefined ? {} : { read: more.read }),
    },
    context.signal,
  );
  return answerOf(outcome, timeoutMs);
}

function answerOf(outcome: CommandOutcome, timeoutMs: number): ToolAnswer {
  if ('denied' in outcome) return { ok: false, error_kind: 'sandbox_denied', stderr: outcome.denied };
  const { exitCode, signal, truncated, timedOut, cancelled, omitted } = outcome;
  const stderr = textOf(outcome.stderr, omitted.stderr);
  const answer = {
    stdout: textOf(outcome.stdout, omitted.stdout),
    stderr,
    exit_code: exitCode,
    truncated,
    data: { signal, stdout_bytes: outcome.stdoutBytes, stderr_bytes: outcome.stderrBytes },
  };
  const failed = (error_kind: 'cancelled' | 'timeout' | 'exit_code', note: string): ToolAnswer => ({
    ...answer,
    ok: false,
    error_kind,
    stderr: note === '' ? stderr : `${stderr}${stderr === '' || stderr.endsWith('\n') ? '' : '\n'}[${note}]\n`,
  });
  if (cancelled) return failed('cancelled', 'the command was cancelled');
  if (timedOut) return failed('timeout', `the command was stopped after ${timeoutMs} ms`);
  if (exitCode === null) return failed('exit_code', `the command was ended by ${signal ?? 'a signal'}`);
  return exitCode === 0 ? { ...answer, ok: true } : failed('exit_code', '');
}

function textOf(bytes: Buffer, omitted: OmittedBytes | null): string {
  if (omitted === null) return bytes.toString();
  const head = bytes.subarray(0, omitted.at).toString();
  return `${head}${leftOutNote(omitted.bytes, 'bytes')}${bytes.subarray(omitted.at).toString()}`;
}
