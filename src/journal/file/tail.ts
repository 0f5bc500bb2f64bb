import type { LineOptions, TailOptions } from '../journal.ts';
import { type Log, type LogPlace, openLog } from './log-file.ts';
import { LogWatcher } from './log-watcher.ts';
import { endOf, positionBefore } from './reader.ts';
import { type LineBefore, type LogLine, lineBefore, scan } from './scan.ts';

/** Every line after `afterSeq`, old and new, until `signal` aborts. */
export async function* tailLog(
  place: LogPlace,
  afterSeq: number,
  { signal, reuse }: TailOptions & LineOptions,
): AsyncGenerator<LogLine[], void, undefined> {
  const watcher = new LogWatcher(place.path);
  let log: Log | null = null;
  try {
    log = await openLog(place);
    while (log === null && !signal?.aborted) {
      await watcher.wait(signal);
      log = await openLog(place);
    }
    if (log === null) return;
    watcher.watchFile();
    let at = await positionBefore(log, afterSeq);
    let last: LineBefore | null = null;
    while (!signal?.aborted) {
      const lines = await nextBatch(scan(log, at, { after: last, reuse }));
      if (lines === null) {
        await watcher.wait(signal);
        continue;
      }
      at = endOf(lines);
      last = lineBefore(lines.at(-1)!);
      const fresh = lines.filter((line) => line.seq > afterSeq);
      if (fresh.length > 0) yield fresh;
    }
  } finally {
    watcher.close();
    await log?.handle.close();
  }
}

/** One batch at a time: the reader may be slow, and the next batch must be read fresh. */
async function nextBatch(batches: AsyncIterable<LogLine[]>): Promise<LogLine[] | null> {
  for await (const batch of batches) return batch;
  return null;
}
