import { invalidAnswer, unreachable } from './answer-error.ts';
import { createSseParser, type SseFrame } from './sse-parser.ts';
import type { Query, Transport } from './transport.ts';

export interface EventStreamRequest {
  path: readonly (string | number)[];
  query: Query;
  /** A live server sends heartbeats; after this long without a byte the connection counts as dead. */
  silenceMs: number;
  signal: AbortSignal | undefined;
}

/**
 * The frames of one connection, as they arrive: first an empty list, when it is open. Ends with the connection; throws
 * SERVER_UNREACHABLE when it breaks or is silent.
 */
export async function* readEventStream(
  transport: Transport,
  { path, query, silenceMs, signal }: EventStreamRequest,
): AsyncGenerator<SseFrame[], void, undefined> {
  const connection = new AbortController();
  const abort = () => connection.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  let silent = false;

  /** Counts only the time spent waiting for a byte: a slow reader does not mean a silent server. */
  async function watched<T>(work: Promise<T>): Promise<T> {
    const giveUp = () => {
      silent = true;
      connection.abort();
    };
    // If this process itself was suspended, it first reads what arrived meanwhile.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, silenceMs / 10);
    }, silenceMs);
    try {
      return await work;
    } finally {
      clearTimeout(timer);
    }
  }

  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let url = '';
  try {
    const headers = { accept: 'text/event-stream' };
    const answer = await watched(transport.request(path, { query, headers, signal: connection.signal }));
    url = answer.url;
    const { body } = answer.response;
    const type = answer.response.headers.get('content-type') ?? 'no content type';
    if (!body || !type.startsWith('text/event-stream')) throw invalidAnswer(url, `${type}, not an event stream`);
    reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    const parser = createSseParser();
    yield [];
    for (;;) {
      const { done, value } = await watched(read(reader, url));
      if (done) return;
      const frames = parser.push(value);
      if (frames.length > 0) yield frames;
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (silent) throw unreachable(url, new Error(`no byte for ${silenceMs} ms`));
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
    reader?.cancel().catch(() => {}); // Fails if the stream is already broken.
    connection.abort();
  }
}

async function read(reader: ReadableStreamDefaultReader<Uint8Array>, url: string) {
  try {
    return await reader.read();
  } catch (cause) {
    throw unreachable(url, cause);
  }
}
