import { LINE_ENDING_BYTES, lineEnding, statedChain } from '../chain.ts';
import { journalDamaged } from './file-errors.ts';
import { type Log, type LogPlace, openLog, type Position } from './log-file.ts';
import { LogWatcher } from './log-watcher.ts';
import { endOf, positionBefore } from './reader.ts';
import { type LogLine, scan } from './scan.ts';

/** Every line after `afterSeq`, old and new, until `signal` aborts. Keeps no bytes between looks: a torn end may be replaced. */
export async function* tailLog(
  place: LogPlace,
  afterSeq: number,
  signal: AbortSignal | undefined,
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
    let lastLine: LogLine | null = null;
    while (!signal?.aborted) {
      if (lastLine === null || (await hasGrownAfter(log, at, lastLine))) {
        for await (const lines of scan(log, at)) {
          at = endOf(lines);
          lastLine = lines.at(-1)!;
          const fresh = lines.filter((line) => line.seq > afterSeq);
          if (fresh.length > 0) yield fresh;
          if (signal?.aborted) return;
        }
      }
      await watcher.wait(signal);
    }
  } finally {
    watcher.close();
    await log?.handle.close();
  }
}

/**
 * True when there are bytes after the last line that was read. An append that fails on a full disk is taken back, and a
 * reader may have seen whole lines of it; when others stand there now, going on would skip them.
 */
async function hasGrownAfter(log: Log, at: Position, lastLine: LogLine): Promise<boolean> {
  const bytes = Buffer.alloc(LINE_ENDING_BYTES + 1);
  const { bytesRead } = await log.handle.read(bytes, 0, bytes.length, at.offset - LINE_ENDING_BYTES);
  if (bytesRead < bytes.length) return false;
  if (bytes.toString('latin1', 0, LINE_ENDING_BYTES) !== lineEnding(statedChain(lastLine.bytes) ?? '')) {
    throw journalDamaged(log.path, lastLine.byteFrom, `event ${lastLine.seq} was taken back after it was read`);
  }
  return true;
}
