import fs from 'node:fs';
import path from 'node:path';
import type { FastifyReply } from 'fastify';
import { isSealed } from '../../protocol/index.ts';
import { folderFiles, type RunFolder, readShownRecord } from '../../recording/index.ts';
import { openJournal, type RunContext, watchRecord } from '../../runs/index.ts';
import { conversationSource } from './conversation-source.ts';
import type { EventSource, StreamKind } from './event-source.ts';
import { Feed } from './feed.ts';
import { FrameBuffers } from './frame-buffers.ts';
import { FramePages } from './frame-pages.ts';
import { fullSource } from './full-source.ts';
import { raspSource } from './rasp-source.ts';
import { SseResponse } from './sse-response.ts';
import { type CloseReason, StreamReader } from './stream-reader.ts';

/** How long a folded conversation is kept for the next reader. */
const LINGER_MS = 10_000;

interface SharedSource {
  source: EventSource;
  feed: Feed;
  pages: FramePages;
  /** Watches the run's record, which says when the run has ended. */
  watch: { stop(): void };
}

interface Shared {
  opened: Promise<SharedSource>;
  users: number;
  linger: NodeJS.Timeout | undefined;
}

/** Which events, and how much of their texts, a stream has. */
export interface StreamView {
  kind: StreamKind;
  /** Raw output with its whole text. */
  full: boolean;
}

interface StreamRequest {
  cursor: number | null;
  deltas: boolean;
}

export interface StreamHubOptions {
  context: RunContext;
  heartbeatMs: number;
  onDelivered(kind: StreamKind, events: number): void;
}

/** All open event streams, and what their readers share. */
export class StreamHub {
  readonly #options: StreamHubOptions;
  readonly #shared = new Map<string, Shared>();
  readonly #readers = new Map<StreamReader, { source: EventSource; runId: string }>();
  readonly #buffers = new FrameBuffers();
  readonly #scratchFolder: string;
  #closed = false;

  constructor(options: StreamHubOptions) {
    this.#options = options;
    this.#scratchFolder = path.join(options.context.home.cache, 'conversations');
    // A killed server may have left some behind.
    fs.rmSync(this.#scratchFolder, { recursive: true, force: true });
  }

  /** Responds with the stream; returns when it has ended. */
  async stream(folder: RunFolder, view: StreamView, reply: FastifyReply, request: StreamRequest): Promise<void> {
    await this.use(folder, view, async ({ source, feed, pages }) => {
      const response = new SseResponse(reply, this.#options.heartbeatMs);
      const reader = new StreamReader({
        ...request,
        source,
        feed,
        pages,
        response,
        isOver: () => hasEnded(folder),
        onDelivered: (events) => this.#options.onDelivered(view.kind, events),
      });
      this.#readers.set(reader, { source, runId: folder.runId });
      if (this.#closed) reader.close('shutdown');
      try {
        await reader.run();
      } finally {
        this.#readers.delete(reader);
      }
    });
  }

  /** Calls `work` with the source that all readers of this stream share. */
  async use<T>(folder: RunFolder, view: StreamView, work: (shared: SharedSource) => Promise<T>): Promise<T> {
    const key = `${view.kind} ${view.full} ${folder.runId}`;
    const shared = this.#shared.get(key) ?? this.#share(key, this.#open(folder, view));
    clearTimeout(shared.linger);
    shared.users++;
    try {
      return await work(await shared.opened);
    } finally {
      shared.users--;
      if (shared.users === 0) {
        shared.linger = setTimeout(
          () => this.#close(key, shared).catch(() => {}),
          this.#closed ? 0 : LINGER_MS,
        ).unref();
      }
    }
  }

  /** The number of readers, and how many events the slowest one is behind. */
  async readersOf(kind: StreamKind): Promise<{ count: number; largestLag: number }> {
    const readers = [...this.#readers].filter(([, { source }]) => source.kind === kind);
    const heads = new Map<EventSource, number>();
    for (const source of new Set(readers.map(([, reader]) => reader.source))) {
      heads.set(
        source,
        await source.head().then(
          ({ seq }) => seq,
          () => 0,
        ),
      );
    }
    const lags = readers.map(([{ seq }, { source }]) => heads.get(source)! - seq);
    return { count: readers.length, largestLag: Math.max(0, ...lags) };
  }

  /** Ends the streams of a run that no longer exists. */
  closeRun(runId: string, reason: CloseReason): void {
    for (const [reader, { runId: other }] of this.#readers) if (other === runId) reader.close(reason);
  }

  /** Ends all streams, and closes what they shared. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const reader of this.#readers.keys()) reader.close('shutdown');
    await Promise.all([...this.#shared].map(([key, shared]) => this.#close(key, shared)));
  }

  #share(key: string, opened: Promise<SharedSource>): Shared {
    const shared: Shared = { opened, users: 0, linger: undefined };
    this.#shared.set(key, shared);
    // A later request may be able to open it.
    opened.catch(() => this.#shared.delete(key));
    return shared;
  }

  async #open(folder: RunFolder, { kind, full }: StreamView): Promise<SharedSource> {
    const journal = openJournal(folder, this.#options.context.config);
    const kept =
      kind === 'run_event'
        ? raspSource(folder, journal)
        : await conversationSource(folder, journal, this.#scratchFolder);
    const source = full ? fullSource(kept, folderFiles(folder)) : kept;
    const watch = watchRecord(folder, () => {
      if (hasEnded(folder)) this.#wake(source);
    });
    return { source, feed: new Feed(source, this.#buffers), pages: new FramePages(source, this.#buffers), watch };
  }

  #wake(source: EventSource): void {
    for (const [reader, { source: other }] of this.#readers) if (other === source) reader.wake();
  }

  async #close(key: string, shared: Shared): Promise<void> {
    clearTimeout(shared.linger);
    // The last reader and a shutdown may both get here; close only once.
    if (this.#shared.get(key) !== shared) return;
    this.#shared.delete(key);
    // A failure to open was already reported to its caller.
    const opened = await shared.opened.catch(() => null);
    opened?.watch.stop();
    opened?.pages.close();
    await opened?.source.close();
  }
}

function hasEnded(folder: RunFolder): boolean {
  try {
    return isSealed(readShownRecord(folder));
  } catch {
    return false; // Unreadable record: the events may still show the end.
  }
}
