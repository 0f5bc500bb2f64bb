import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { TerminalOutput } from '../runtime-port.ts';
import type { ToolAnswer, ToolPlace } from '../tool.ts';
import { COMMAND_OPTIONS, notableVariables, redactCommand } from './command-answer.ts';
import { terminalsOf } from './runtime-of.ts';

interface WaitOptions {
  yield_ms?: number;
  max_output_chars?: number;
}

interface ExecInput extends WaitOptions {
  command: string;
  cwd?: string;
  env?: Record<string, string>;
}

interface StdinInput extends WaitOptions {
  session_id: string;
  text?: string;
}

const YIELD_MS = 10_000;
/** After typing, most programs answer soon and then wait for more. */
const TYPED_YIELD_MS = 1000;
const OUTPUT_CHARS = 20_000;

const waitOptions = (defaults: string) => ({
  yield_ms: {
    type: 'integer',
    minimum: 0,
    maximum: 300_000,
    description: `How long to wait for its end, in milliseconds (default: ${defaults})`,
  },
  max_output_chars: { type: 'integer', minimum: 1, maximum: 65_536, description: `(default: ${OUTPUT_CHARS})` },
});

export const execCommand = tool<ExecInput>({
  name: 'exec_command',
  description:
    'Start a command line on a terminal. If it has not ended after yield_ms it keeps running, and write_stdin ' +
    'continues with the session_id.',
  input: {
    type: 'object',
    properties: {
      command: { type: 'string', minLength: 1, description: 'The command line for bash -c' },
      cwd: COMMAND_OPTIONS.cwd,
      env: COMMAND_OPTIONS.env,
      ...waitOptions(String(YIELD_MS)),
    },
    required: ['command'],
    additionalProperties: false,
  },
  actions: actionsOf,
  earlyActions: ({ command, cwd }, place) =>
    command === undefined ? null : actionsOf({ command, ...(cwd && { cwd }) }, place),
  redact: redactCommand,
  execute: async (input, context) => {
    const { command, cwd = '.', env = {}, yield_ms = YIELD_MS, max_output_chars = OUTPUT_CHARS } = input;
    const output = await terminalsOf(context).execCommand(
      {
        callId: context.callId,
        argv: ['bash', '-c', command],
        cwd: await context.files.resolveFolder(cwd),
        env: { ...context.env, ...env },
        yieldMs: yield_ms,
        maxOutputChars: max_output_chars,
      },
      context.signal,
    );
    return answerOf(output);
  },
});

export const writeStdin = tool<StdinInput>({
  name: 'write_stdin',
  description: 'Type into a terminal that exec_command left running, and wait for output. Without text it only waits.',
  input: {
    type: 'object',
    properties: {
      session_id: { type: 'string', minLength: 1 },
      text: { type: 'string', description: 'Text to type; \\n for Enter, \\u0003 for Ctrl-C (default: none)' },
      ...waitOptions(`${TYPED_YIELD_MS} after typing, otherwise ${YIELD_MS}`),
    },
    required: ['session_id'],
    additionalProperties: false,
  },
  // What was typed once for a call is not typed again.
  isRepeatable: true,
  actions: inputOf,
  earlyActions: ({ session_id, text }) =>
    session_id === undefined || text === undefined ? null : inputOf({ session_id, text }),
  execute: async (input, context) => {
    const { session_id, text = '', max_output_chars = OUTPUT_CHARS } = input;
    const { yield_ms = text === '' ? YIELD_MS : TYPED_YIELD_MS } = input;
    const request = {
      sessionId: session_id,
      text,
      yieldMs: yield_ms,
      maxOutputChars: max_output_chars,
      callKey: context.callKey,
    };
    return answerOf(await terminalsOf(context).writeStdin(request, context.signal));
  },
});

function actionsOf({ command, cwd = '.', env }: ExecInput, { workspaceRoot }: ToolPlace) {
  const folder = path.resolve(workspaceRoot, cwd);
  return [{ kind: 'shell' as const, line: command, cwd: folder, ...notableVariables(env) }];
}

function inputOf({ session_id, text = '' }: StdinInput) {
  return [{ kind: 'input' as const, terminal: session_id, text }];
}

function answerOf({ sessionId, output, truncated, exitCode }: TerminalOutput): ToolAnswer {
  const isFailed = sessionId === null && exitCode !== 0;
  return {
    ok: !isFailed,
    stdout: output,
    exit_code: exitCode,
    truncated,
    data: { session_id: sessionId },
    error_kind: isFailed ? 'exit_code' : null,
  };
}
