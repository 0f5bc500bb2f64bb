import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createConversation } from '../../conversation/index.ts';
import { openRegularFile } from '../../files/index.ts';
import { wakeReaders } from '../../journal/file/log-watcher.ts';
import type { Journal, JournalLine, LineOptions, TailOptions } from '../../journal/index.ts';
import { foldBatch } from '../../record/index.ts';
import { folderFiles, type RunFolder } from '../../recording/index.ts';
import { NumberedLines } from './numbered-lines.ts';
import { journalHead } from './rasp-source.ts';

export interface FoldedConversation {
  lines: NumberedLines;
  /** Resolves when all events that exist now are folded. */
  caughtUp(): Promise<void>;
  tail(afterSeq: number, options: TailOptions & LineOptions): AsyncGenerator<JournalLine[], void, undefined>;
  close(): Promise<void>;
}

/**
 * Folds a run's events into a scratch file, once for all readers, and follows new events. Resolves when all existing
 * events are folded. Uses a file instead of memory: its size depends on the run, and its lifetime on the slowest
 * reader.
 */
export async function foldConversationTo(
  scratchFolder: string,
  folder: RunFolder,
  journal: Journal,
): Promise<FoldedConversation> {
  fs.mkdirSync(scratchFolder, { recursive: true, mode: 0o700 });
  const file = path.join(scratchFolder, `${folder.runId}.${randomUUID()}.jsonl`);
  const fd = openRegularFile(file, 'create');
  const stop = new AbortController();
  const failed = new AbortController();
  const conversation = createConversation({ run_id: folder.runId });
  const files = folderFiles(folder);
  let folded = 0;
  const waiting: (() => void)[] = [];
  const progress = (): void => {
    for (const wake of waiting.splice(0)) wake();
  };

  const folding = (async () => {
    for await (const events of journal.tail(folder.runId, 0, { signal: stop.signal })) {
      const messages = await foldBatch(conversation, events, files);
      if (messages.length > 0) {
        fs.appendFileSync(fd, messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
        wakeReaders(file);
      }
      folded = events.at(-1)!.seq;
      progress();
    }
  })()
    .catch((error) => failed.abort(error))
    .finally(progress);

  async function caughtUp(): Promise<void> {
    const { seq } = await journalHead(folder);
    while (folded < seq && !stop.signal.aborted && !failed.signal.aborted) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    if (failed.signal.aborted) throw failed.signal.reason;
  }

  async function close(): Promise<void> {
    stop.abort();
    await folding;
    fs.closeSync(fd);
    fs.rmSync(file, { force: true });
  }

  try {
    await caughtUp();
  } catch (error) {
    await close();
    throw error;
  }
  const lines = new NumberedLines(file);
  return {
    lines,
    caughtUp,
    async *tail(afterSeq, { signal, reuse }) {
      const either = signal ? AbortSignal.any([signal, failed.signal]) : failed.signal;
      yield* lines.tail(afterSeq, { signal: either, reuse });
      if (failed.signal.aborted && !signal?.aborted) throw failed.signal.reason;
    },
    close,
  };
}
