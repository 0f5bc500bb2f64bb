import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type CommandResult, RUNTIME_METHODS, type RuntimeParams, stdinDataSchema } from '../../protocol/index.ts';
import { shownOutputSchema, showOutput } from './show-output.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolContext } from './tool.ts';

/** Clients commonly time out after a minute, and processes have five seconds to end. */
const TIMEOUT_MS = 50_000;
const OUTPUT_BYTES = 16_384;
const MAX_OUTPUT_BYTES = 262_144;

const asked = RUNTIME_METHODS['exec.run'].params.shape;
const bounds = {
  timeout_ms: asked.timeout_ms
    .unwrap()
    .default(TIMEOUT_MS)
    .describe('It is ended after that long, with all it started; what it printed so far is kept.'),
  max_output_bytes: asked.max_output_bytes
    .unwrap()
    .max(MAX_OUTPUT_BYTES)
    .default(OUTPUT_BYTES)
    .describe('Of stdout and of stderr each; when there is more, the beginning and the end are shown.'),
};
const output = RUNTIME_METHODS['exec.run'].result
  .omit({ exec_id: true, session_id: true })
  .extend({ stdout: shownOutputSchema, stderr: shownOutputSchema });
type CommandAnswer = z.output<typeof output>;

const runCommand = defineTool({
  name: 'run_command',
  title: 'Run a command in a shell session',
  description:
    'Runs shell text in a session of kind shell (see open_session) and waits for its end. cd, export, functions and ' +
    'shell options stay for the next command. Returns stdout and stderr separately, the exit code, and whether it timed out. ' +
    'A session runs one command at a time. For work that takes longer than timeout_ms, open a session of kind exec and ' +
    'follow it with read_output.',
  input: z.strictObject({
    session_id: asked.session_id.unwrap().describe('Of a session of kind shell.'),
    command: asked.command.unwrap().describe('Text for the shell: one line or a whole script.'),
    stdin: z
      .union([z.enum(['empty', 'session']), stdinDataSchema])
      .default('empty')
      .describe(
        '`{data}`: this text, then the end of the input. `session`: it reads what write_input writes, and may wait.',
      ),
    ...bounds,
  }),
  output,
  annotations: { destructiveHint: true, openWorldHint: true },
  call: async (params, context) => {
    const result = await run(params, context);
    const { structured, text } = answer(
      result,
      (stream, after) => `read_output {session_id, stream: "${stream}", after: ${after}} reads it.`,
    );
    const ended = result.session_state === 'terminated' ? ['The session has ended with it.'] : [];
    return { structured, text: [...ended, ...text] };
  },
});

const runProgram = defineTool({
  name: 'run_program',
  title: 'Run one program',
  description:
    'Runs one program with its arguments, without a shell and without a session, and waits for its end: no quoting, no ' +
    'variables, no pipes. Returns stdout and stderr separately, the exit code, and whether it timed out. Its input is empty unless stdin is given.',
  input: z.strictObject({
    argv: asked.argv.unwrap(),
    target: asked.target,
    cwd: asked.cwd.unwrap().optional().describe('The workspace when not given.'),
    env: asked.env,
    stdin: stdinDataSchema.optional().describe('Its whole input; empty when not given.'),
    limits: asked.limits,
    sandbox: asked.sandbox,
    record: asked.record.unwrap().optional().describe('Keeps it as a run.'),
    ...bounds,
  }),
  output,
  annotations: { destructiveHint: true, openWorldHint: true },
  call: async (params, context) => {
    const result = await run(params, context);
    return answer(result, () => 'Ask for more with max_output_bytes, or print less.');
  },
});

export const commandTools: readonly Tool[] = [runCommand, runProgram];

/** Runs a command to its end; ends it if the client cancels. */
async function run(params: RuntimeParams<'exec.run'>, { runtime, signal }: ToolContext): Promise<CommandResult> {
  const exec_id = `mcp-${randomUUID()}`;
  const cancel = () => void runtime.call('exec.cancel', { exec_id }).catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    return await runtime.call('exec.run', { ...params, exec_id });
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** How to read the omitted output. */
type ReadOn = (stream: 'stdout' | 'stderr', after: number) => string;

function answer(result: CommandResult, readOn: ReadOn): ToolAnswer<CommandAnswer> {
  const { exec_id: _, session_id: __, ...rest } = result;
  const structured = { ...rest, stdout: showOutput(result.stdout), stderr: showOutput(result.stderr) };
  const notes: string[] = [describeEnd(result)];
  const blocks: string[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    const { text, exact, omitted } = structured[stream];
    if (omitted) notes.push(`${omitted.bytes} bytes of ${stream} are left out. ${readOn(stream, omitted.after)}`);
    if (!exact) notes.push(`${stream} holds bytes that are not text; they are shown as U+FFFD.`);
    if (text !== '') blocks.push(`${stream}:\n${text}`);
  }
  if (blocks.length === 0) notes.push('It printed nothing.');
  return { structured, text: [notes.join('\n'), ...blocks] };
}

function describeEnd(result: CommandResult): string {
  const { exit_code, signal, timed_out, canceled, limit_exceeded, closed, duration_ms } = result;
  const parts = [
    exit_code === null ? `Ended by ${signal ?? 'an unknown cause'}` : `Exit code ${exit_code}`,
    ` after ${Math.round(duration_ms)} ms.`,
    timed_out ? ' It timed out and was ended; this is what it printed so far.' : '',
    canceled ? ' It was canceled.' : '',
    limit_exceeded === null ? '' : ` It ran into its limit of ${limit_exceeded}.`,
    closed ? '' : ' Something it started in the background still holds its output open.',
  ];
  return parts.join('');
}
