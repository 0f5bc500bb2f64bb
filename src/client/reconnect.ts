import { type StreamClosed, TachoError } from '../protocol/index.ts';
import { errorFromServer, parseJson, unreachable } from './answer-error.ts';
import { answers } from './answers.ts';
import { createBackoff, pause } from './backoff.ts';
import { readEventStream } from './event-stream.ts';
import type { SseFrame } from './sse-parser.ts';
import { checked, type Query, type RequestOptions, type Transport } from './transport.ts';

/** Timeouts and delays of streams. */
export interface StreamTiming {
  firstRetryMs: number;
  lastRetryMs: number;
  silenceMs: number;
}

/** Heartbeats arrive every 15 seconds; the timeout allows for three missing ones. */
export const STREAM_TIMING: StreamTiming = { firstRetryMs: 250, lastRetryMs: 5000, silenceMs: 45_000 };

export interface Retry {
  error: TachoError;
  delayMs: number;
}

export interface ReconnectOptions extends RequestOptions {
  /** The connection was lost; called before the delay and the next try. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

export interface StreamSource {
  transport: Transport;
  timing: StreamTiming;
  path: readonly (string | number)[];
  /** Called for every connection, since it contains the position to continue from. */
  query(): Query;
  /** The stream is complete, and all frames were delivered. */
  onTerminal?(closed: StreamClosed): void;
}

/**
 * The frames of a stream, across as many connections as needed. Ends when the server closes the stream as complete, or
 * on abort. A server that cannot be reached at first is an error; later losses are retried.
 */
export async function* framesOf(
  source: StreamSource,
  { signal, onRetry }: ReconnectOptions,
): AsyncGenerator<SseFrame[], void, undefined> {
  const { transport, timing, path } = source;
  const place = path.join('/');
  const backoff = createBackoff({ firstMs: timing.firstRetryMs, lastMs: timing.lastRetryMs });
  let wasOpen = false;
  while (!signal?.aborted) {
    let problem: TachoError;
    try {
      const request = { path, query: source.query(), silenceMs: timing.silenceMs, signal };
      let closed: StreamClosed | null = null;
      for await (const frames of readEventStream(transport, request)) {
        wasOpen = true;
        const end = frames.findIndex(({ event }) => event === 'stream.closed');
        const received = end < 0 ? frames : frames.slice(0, end);
        // A connection that opens and breaks at once does not count as recovered.
        if (received.some(({ event }) => !event.endsWith('.opened'))) backoff.reset();
        yield received;
        if (end < 0) continue;
        closed = checked(answers.closed, parseJson(frames[end]!.data), place);
        break;
      }
      if (closed?.reason === 'terminal') {
        source.onTerminal?.(closed);
        return;
      }
      problem = lossOf(closed, place);
    } catch (error) {
      if (signal?.aborted) return;
      if (!wasOpen || !isTemporary(error)) throw error;
      problem = error;
    }
    const delayMs = Math.max(backoff.next(), Number(problem.facts.retry_after_ms ?? 0));
    onRetry?.({ error: problem, delayMs });
    await pause(delayMs, signal);
  }
}

/** Why the stream ended before the run. Throws errors that a retry would not change. */
function lossOf(closed: StreamClosed | null, place: string): TachoError {
  if (closed?.reason === 'removed') throw new TachoError('RUN_NOT_FOUND', 'the run was removed', { facts: { place } });
  if (closed?.error) throw errorFromServer(closed.error, { place });
  return unreachable(place, new Error(closed ? `it closed the stream: ${closed.reason}` : 'the stream broke off'));
}

/** Temporary errors: no connection, a server error, too many requests. */
function isTemporary(error: unknown): error is TachoError {
  if (!(error instanceof TachoError)) return false;
  const status = Number(error.facts.http_status ?? 0);
  return error.code === 'SERVER_UNREACHABLE' || status === 429 || status >= 500;
}
