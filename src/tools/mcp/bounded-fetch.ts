import type { FloodGuard } from './flood-guard.ts';
import { type Ending, FLOOD, MAX_MESSAGE_BYTES, TOO_LONG_MESSAGE } from './server-transport.ts';

const LINE_FEED = 0x0a;
/** What ends an event of a stream. */
const BLANK_LINES = ['\n\n', '\r\n\r\n', '\r\r'];
/** Our own requests come one after the other; more at once are answers that the server asks for. */
const MAX_CONCURRENT = 32;

export interface BoundedFetchOptions {
  guard: FloodGuard;
  /** Called when a server sends too much; its answer ends there. */
  end(ending: Ending): void;
}

/**
 * The `fetch` of a connection. Whatever a server answers, no more than one message is held: a body or an event of a
 * stream that is longer, or a stream that never stops, ends the connection.
 */
export function boundedFetch({ guard, end }: BoundedFetchOptions): typeof fetch {
  let pending = 0;
  const fetchCounted = async (...request: Parameters<typeof fetch>): Promise<Response> => {
    // Each one counts, so that a server cannot let us ask again without end.
    if (pending >= MAX_CONCURRENT || !guard.take({ messages: 1 })) {
      end(FLOOD);
      throw new Error(FLOOD.message);
    }
    pending++;
    try {
      return await fetch(...request);
    } finally {
      pending--;
    }
  };
  return async (input, init) => {
    const response = await fetchCounted(input, init);
    if (!response.body) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    let held = 0;
    const bounded = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        held += chunk.length;
        const lines = isStream ? countLines(chunk) : 0;
        const ending = held > MAX_MESSAGE_BYTES ? TOO_LONG_MESSAGE : FLOOD;
        if (held > MAX_MESSAGE_BYTES || !guard.take({ bytes: chunk.length, messages: lines })) {
          end(ending);
          controller.error(new Error(ending.message));
          return;
        }
        if (isStream) held = Math.min(held, sinceBlankLine(chunk));
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    const answer = new Response(response.body.pipeThrough(bounded), { status, statusText, headers });
    // Where a redirect leads is relative to the address.
    Object.defineProperty(answer, 'url', { value: response.url });
    return answer;
  };
}

function countLines(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}

/** How many bytes come after the last blank line of a piece; without end if it has none. */
function sinceBlankLine(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  const at = Math.max(...BLANK_LINES.map((blank) => bytes.lastIndexOf(blank)));
  return at < 0 ? Number.POSITIVE_INFINITY : bytes.length - at;
}
