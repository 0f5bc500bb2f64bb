import { type StreamClosed, TachoError } from '../protocol/index.ts';
import { errorTold, parseJson, unreachable } from './answer-error.ts';
import { answers } from './answers.ts';
import { createBackoff, pause } from './backoff.ts';
import { readEventStream } from './event-stream.ts';
import type { SseFrame } from './sse-parser.ts';
import { checked, type Query, type RequestOptions, type Transport } from './transport.ts';

/** How patient streams are. */
export interface StreamTiming {
  firstRetryMs: number;
  lastRetryMs: number;
  silenceMs: number;
}

/** Heartbeats come every 15 seconds; three that are missing are no coincidence. */
export const STREAM_TIMING: StreamTiming = { firstRetryMs: 250, lastRetryMs: 5000, silenceMs: 45_000 };

export interface Retry {
  error: TachoError;
  delayMs: number;
}

export interface ReconnectOptions extends RequestOptions {
  /** The connection is lost; the next try comes after the delay. */
  onRetry?: ((retry: Retry) => void) | undefined;
}

export interface StreamSource {
  transport: Transport;
  timing: StreamTiming;
  path: readonly (string | number)[];
  /** Called for every connection: it holds the place to continue from. */
  query(): Query;
  /** Nothing more will come; by now everything was given. */
  onTerminal?(closed: StreamClosed): void;
}

/**
 * The frames of a stream over as many connections as it takes. Ends when the server says that nothing more will come,
 * or when the signal aborts. A server that cannot be reached in the first place is an error; one that was there is
 * waited for.
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
        const told = end < 0 ? frames : frames.slice(0, end);
        // One that opens and breaks at once has not recovered.
        if (told.some(({ event }) => !event.endsWith('.opened'))) backoff.reset();
        yield told;
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
      if (!wasOpen || !isPassing(error)) throw error;
      problem = error;
    }
    const delayMs = Math.max(backoff.next(), Number(problem.facts.retry_after_ms ?? 0));
    onRetry?.({ error: problem, delayMs });
    await pause(delayMs, signal);
  }
}

/** Why the stream is over though the run is not. Throws what another try would not change. */
function lossOf(closed: StreamClosed | null, place: string): TachoError {
  if (closed?.reason === 'removed') throw new TachoError('RUN_NOT_FOUND', 'the run was removed', { facts: { place } });
  if (closed?.error) throw errorTold(closed.error, { place });
  return unreachable(place, new Error(closed ? `it closed the stream: ${closed.reason}` : 'the stream broke off'));
}

/** What may be otherwise in a moment: no connection, a server in trouble, too many requests. */
function isPassing(error: unknown): error is TachoError {
  if (!(error instanceof TachoError)) return false;
  const status = Number(error.facts.http_status ?? 0);
  return error.code === 'SERVER_UNREACHABLE' || status === 429 || status >= 500;
}
