import path from 'node:path';
import { tool } from '../define-tool.ts';
import type { TerminalOutput } from '../runtime-port.ts';
import type { ToolAnswer, ToolPlace } from '../tool.ts';
import { COMMAND_OPTIONS, redactCommand } from './command-answer.ts';
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
const OUTPUT_CHARS = 20_000;

const WAIT_OPTIONS = {
  yield_ms: {
    type: 'integer',
    minimum: 0,
    maximum: 300_000,
    description: `How long to wait for its end, in milliseconds (default: ${YIELD_MS})`,
  },
  max_output_chars: { type: 'integer', minimum: 1, maximum: 65_536, description: `(default: ${OUTPUT_CHARS})` },
};

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
      ...WAIT_OPTIONS,
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
      ...WAIT_OPTIONS,
    },
    required: ['session_id'],
    additionalProperties: false,
  },
  execute: async (input, context) => {
    const { session_id, text = '', yield_ms = YIELD_MS, max_output_chars = OUTPUT_CHARS } = input;
    const request = { sessionId: session_id, text, yieldMs: yield_ms, maxOutputChars: max_output_chars };
    return answerOf(await terminalsOf(context).writeStdin(request, context.signal));
  },
});

function actionsOf({ command, cwd = '.' }: ExecInput, { workspaceRoot }: ToolPlace) {
  return [{ kind: 'shell' as const, line: command, cwd: path.resolve(workspaceRoot, cwd) }];
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
