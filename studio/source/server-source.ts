import type { Client } from '../../src/client/index.ts';
import { gather } from './gather.ts';
import type { FollowHandlers, RunSource } from './run-source.ts';

/** A run on a server. */
export function serverSource(client: Client, run: string): RunSource {
  return {
    kind: 'server',
    run: (signal) => client.getRun(run, { signal }),
    follow: (handlers, signal) => followRun(client, run, handlers, signal),
    raw: (stream, attempt, window, signal) => client.rawPart(run, stream, attempt, window, { signal }),
    searchRaw: (stream, attempt, q, from, signal) =>
      client.searchRaw(run, stream, attempt, { q, from, limit: 1000 }, { signal }),
    lines: (stream, attempt, around, signal) => client.lines(run, stream, attempt, { around }, { signal }),
    timing: (attempt, cursor, signal) => client.timing(run, attempt, { cursor, limit: 10_000 }, { signal }),
    attempt: (attempt, signal) => client.attempt(run, attempt, { signal }),
    files: (attempt, signal) => client.files(run, { attempt }, { signal }),
    fileContent: (sha256, signal) => client.fileContent(run, sha256, { signal }),
    verify: (signal) => client.verify(run, { signal }),
  };
}

/** Both streams at once; each goes on from its own cursor over lost connections. */
async function followRun(client: Client, run: string, handlers: FollowHandlers, signal: AbortSignal): Promise<void> {
  // When one of them fails, the other one has nobody to tell any more.
  const both = new AbortController();
  const stop = () => both.abort(signal.reason);
  signal.addEventListener('abort', stop);
  const onRetry = ({ error, delayMs }: { error: Error; delayMs: number }) => handlers.onRetry(error, delayMs);
  const options = { signal: both.signal, onRetry };
  const events = client.followEvents(run, { ...options, onOpened: ({ head_seq }) => handlers.onOpened(head_seq) });
  const messages = client.followConversation(run, options);
  try {
    await Promise.all([gather(events, handlers.onEvents), gather(messages, handlers.onMessages)]);
  } finally {
    signal.removeEventListener('abort', stop);
    both.abort();
  }
}
