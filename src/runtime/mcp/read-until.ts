import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckedParams, RuntimeResult } from '../../protocol/index.ts';
import { decodeBytes } from '../../terminal/index.ts';
import type { ToolContext } from './tool.ts';

/** A program that prints all the time is not read more often. */
const LOOK_MS = 20;
/** A character that does not fit any more is left for the next read. */
const LONGEST_CHARACTER = 4;

/** Reads when the text is there, or nothing more can come: the time is over, the stream is, or there is no more room. */
export async function readUntil(
  runtime: ToolContext['runtime'],
  text: string,
  { wait_ms, ...params }: CheckedParams<'session.read'>,
): Promise<RuntimeResult<'session.read'> & { found: boolean }> {
  const deadline = performance.now() + wait_ms;
  for (;;) {
    const read = await runtime.call('session.read', params);
    const found = decodeBytes(read).includes(text);
    const full = read.next - read.from > params.max_bytes - LONGEST_CHARACTER;
    const left = Math.ceil(deadline - performance.now());
    if (found || full || read.closed || left <= 0) return { ...read, found };
    const { session_id, stream } = params;
    await runtime.call('session.read', { session_id, stream, after: read.next, max_bytes: 1, wait_ms: left });
    await sleep(LOOK_MS);
  }
}
