import type { JournalLine } from '../../journal/index.ts';
import { hasEnded, isEvent, type RaspEvent } from '../../protocol/index.ts';
import { type RunFolder, readShownRecord } from '../../recording/index.ts';
import { isLost, type openJournal, whenLeft } from '../../runs/index.ts';

/** Streams events after `afterSeq` until the run ends, waits or loses its recorder, or until Ctrl-C. */
export async function* followLines(
  folder: RunFolder,
  journal: ReturnType<typeof openJournal>,
  afterSeq: number,
): AsyncGenerator<JournalLine[]> {
  let seen = afterSeq;
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  const left = whenOver(folder, stop.signal).finally(() => stop.abort());
  try {
    for await (const lines of journal.tailLines(folder.runId, seen, { signal: stop.signal })) {
      const end = lines.findIndex(isTerminal);
      yield end < 0 ? lines : lines.slice(0, end + 1);
      if (end >= 0) return;
      seen = lines.at(-1)?.seq ?? seen;
    }
    // The run may have ended before its last events were read here.
    if (await left) yield* journal.readLines(folder.runId, { afterSeq: seen });
  } finally {
    process.off('SIGINT', interrupt);
    stop.abort();
  }
}

/** True once the run has ended or its recorder has died: no more events follow. False when the wait was aborted. */
async function whenOver(folder: RunFolder, signal: AbortSignal): Promise<boolean> {
  try {
    for (;;) {
      const record = readShownRecord(folder);
      if (record.live === null || isLost(record, folder)) return true;
      await whenLeft(folder, record, { recovers: false, signal });
    }
  } catch {
    return false;
  }
}

function isTerminal({ bytes }: JournalLine): boolean {
  if (!bytes.includes('"lifecycle.run.status"')) return false;
  const event = JSON.parse(bytes.toString()) as RaspEvent;
  return isEvent(event, 'lifecycle.run.status') && hasEnded(event.data);
}
