import type { Client } from '../../src/client/index.ts';
import type { FollowHandlers, RunSource } from './run-source.ts';

/** Maximum number to pass on before the page can draw. */
const MAX_GATHERED = 2000;

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
    result: (_, signal) => client.result(run, { signal }),
    artifact: ({ path }) => client.artifact(run, path),
    transcript: async () => [await client.transcript(run)],
    verify: (signal) => client.verify(run, { signal }),
    agent: {
      facts: (query, signal) => client.agent(run, query, { signal }),
      prompt: (query, signal) => client.agentPrompt(run, query, { signal }),
      replay: (agent, signal) => client.replayAgent(run, { agent }, { signal }),
      fork: (fork) => client.forkAgent(run, fork),
    },
  };
}

/** How long events wait at most for the first messages. */
const SPOKEN_FIRST_MS = 400;

/**
 * Both streams, each resumed from its own cursor after lost connections. Messages come first: they are few and most
 * wanted, while loading all the events would delay them.
 */
async function followRun(client: Client, run: string, handlers: FollowHandlers, signal: AbortSignal): Promise<void> {
  // When one of them fails, the failure of the other is no longer reported.
  const both = new AbortController();
  const stop = () => both.abort(signal.reason);
  signal.addEventListener('abort', stop);
  const onRetry = ({ error, delayMs }: { error: Error; delayMs: number }) => handlers.onRetry(error, delayMs);
  const options = { signal: both.signal, onRetry };
  try {
    let begin = () => {};
    const spoken = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const messages = gather(client.followConversation(run, options), (said) => {
      handlers.onMessages(said);
      begin();
    }).finally(begin);
    const late = setTimeout(begin, SPOKEN_FIRST_MS);
    const events = spoken.then(() => {
      clearTimeout(late);
      const onOpened = ({ head_seq }: { head_seq: number }) => handlers.onOpened(head_seq);
      return gather(client.followEvents(run, { ...options, onOpened }), handlers.onEvents);
    });
    await Promise.all([events, messages]);
  } finally {
    signal.removeEventListener('abort', stop);
    both.abort();
  }
}

/** Passes on items that arrive in quick succession together: a page that draws after every event falls behind. */
async function gather<T>(items: AsyncIterable<T>, onItems: (items: T[]) => void): Promise<void> {
  let waiting: T[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const ready = waiting;
    waiting = [];
    onItems(ready);
  };
  try {
    for await (const item of items) {
      waiting.push(item);
      if (waiting.length >= MAX_GATHERED) {
        flush();
        await new Promise((resolve) => setTimeout(resolve));
      }
      timer ??= setTimeout(flush, 16);
    }
  } finally {
    flush();
  }
}
