import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type CheckedParams, RUNTIME_METHODS, type RuntimeResult, sessionInfoSchema } from '../../protocol/index.ts';
import { decodeBytes } from '../../terminal/index.ts';
import { describeSessionEnd } from './session-brief.ts';
import { defineTool, type Tool, type ToolContext } from './tool.ts';

/** Limits how often the output of a busy program is read. */
const MIN_READ_INTERVAL_MS = 20;
/** A character that does not fit is left for the next read. */
const MAX_CHARACTER_BYTES = 4;

const READ_BYTES = 16_384;
const MAX_READ_BYTES = 262_144;
/** Clients commonly time out after a minute. */
const MAX_WAIT_MS = 50_000;

const reading = RUNTIME_METHODS['session.read'].params;
const readOutput = defineTool({
  name: 'read_output',
  title: 'Read output',
  description:
    'Reads what a session printed, from a cursor (after, in bytes; 0 is the beginning) on. Read on with after set to ' +
    'next. With wait_ms it waits that long for something new, or with wait_for until it printed a text, as a server does ' +
    'when it is ready. A pty session has everything, with its escape codes, on stdout: read_screen shows what it draws. ' +
    'Also says whether the session still runs and how it ended.',
  input: reading.extend({
    max_bytes: reading.shape.max_bytes.unwrap().max(MAX_READ_BYTES).default(READ_BYTES),
    wait_ms: reading.shape.wait_ms.unwrap().max(MAX_WAIT_MS).default(0),
    wait_for: z.string().min(1).max(1000).optional().describe('Waits for this text, wait_ms at most.'),
    encoding: reading.shape.encoding
      .unwrap()
      .default('utf8')
      .describe('`utf8` shows bytes that are not text as U+FFFD; `base64` gives the exact bytes.'),
  }),
  output: RUNTIME_METHODS['session.read'].result.extend({
    state: sessionInfoSchema.shape.state,
    end: sessionInfoSchema.shape.end,
    more: sessionInfoSchema.shape.closed.describe('There is more to read at once.'),
    found: z.boolean().nullable().describe('Whether wait_for is in it; null when it was not asked for.'),
  }),
  annotations: { readOnlyHint: true },
  call: async ({ wait_for, ...params }, { runtime }) => {
    const { session_id, stream } = params;
    const read =
      wait_for === undefined
        ? { ...(await runtime.call('session.read', params)), found: null }
        : await readUntil(runtime, wait_for, params);
    const { state, end, streams } = await runtime.call('session.info', { session_id });
    const more = read.next < (streams[stream]?.end ?? 0);
    const { from, next, truncated_before, closed, data } = read;
    const notes = [
      next === from ? `Nothing new on ${stream}.` : `Bytes ${from} to ${next} of ${stream}.`,
      ...(truncated_before === null ? [] : [`Bytes ${params.after} to ${truncated_before} are gone: read sooner.`]),
      ...(read.found === false ? [`${JSON.stringify(wait_for)} is not in it.`] : []),
      closed ? 'That is the end of it.' : `${more ? 'There is more' : 'Read on'}: after ${next}.`,
      end ? `The session ${describeSessionEnd(end)}.` : `The session is ${state}.`,
    ];
    return {
      structured: { ...read, state, end, more },
      text: [notes.join(' '), ...(data === '' ? [] : [data])],
    };
  },
});

const writeInput = defineTool({
  name: 'write_input',
  title: 'Write input',
  description:
    'Writes to the input of what runs in a session. Nothing is added: end a line with \\n, and on a pty press Enter with ' +
    '\\r and Ctrl-C with \\u0003. With end, nothing more will be written and the program sees the end of its input. To run ' +
    'commands in a shell session, use run_command.',
  input: RUNTIME_METHODS['session.write'].params,
  output: RUNTIME_METHODS['session.write'].result,
  annotations: { destructiveHint: true, openWorldHint: true },
  call: async (params, { runtime }) => {
    const structured = await runtime.call('session.write', params);
    const { written, repeated } = structured;
    return { structured, text: [repeated ? 'It was written before, and is not again.' : `${written} bytes written.`] };
  },
});

export const streamTools: readonly Tool[] = [readOutput, writeInput];

/** Reads until the text appears, the time is up, the stream has ended or `max_bytes` is reached. */
async function readUntil(
  runtime: ToolContext['runtime'],
  text: string,
  { wait_ms, ...params }: CheckedParams<'session.read'>,
): Promise<RuntimeResult<'session.read'> & { found: boolean }> {
  const deadline = performance.now() + wait_ms;
  for (;;) {
    const read = await runtime.call('session.read', params);
    const found = decodeBytes(read).includes(text);
    const full = read.next - read.from > params.max_bytes - MAX_CHARACTER_BYTES;
    const left = Math.ceil(deadline - performance.now());
    if (found || full || read.closed || left <= 0) return { ...read, found };
    const { session_id, stream } = params;
    await runtime.call('session.read', { session_id, stream, after: read.next, max_bytes: 1, wait_ms: left });
    await sleep(MIN_READ_INTERVAL_MS);
  }
}
