import { LINE_ENDING_BYTES } from '../chain.ts';
import type { JournalLine } from '../journal.ts';
import { completeLines, type Line } from './complete-lines.ts';
import { journalDamaged } from './file-errors.ts';
import { type LineHead, readLineHead } from './line-head.ts';
import type { Log, Position } from './log-file.ts';

/** A line of the log that stands where its seq says it should. */
export interface LogLine extends JournalLine, LineHead, Line {}

interface ScanScope {
  byteTo?: number | undefined;
  /** The line that was read last, right before the position. Reading on is an error when it no longer stands there. */
  after?: LogLine | null;
}

/** The lines from a position on, checked to be numbered without a gap; JOURNAL_DAMAGED where they are not. */
export async function* scan(
  log: Log,
  from: Position,
  { byteTo, after = null }: ScanScope = {},
): AsyncGenerator<LogLine[], void, undefined> {
  let at = from;
  let before = after;
  for (;;) {
    let wrong: Line | null = null;
    // The end of the line before comes with the same read as what follows it, so no change can fall between them.
    const overlap = before === null ? 0 : LINE_ENDING_BYTES;
    for await (const lines of completeLines(log.handle, at.offset - overlap, byteTo)) {
      if (before !== null) checkStillBefore(before, lines.shift()!, log);
      before = null;
      const good: LogLine[] = [];
      for (const { byteFrom, byteTo, bytes } of lines) {
        const head = readLineHead(bytes, log.lineStart);
        if (head === null || head.seq !== at.seq + 1) {
          wrong = { byteFrom, byteTo, bytes };
          break;
        }
        good.push({ seq: head.seq, ts: head.ts, byteFrom, byteTo, bytes });
        at = { offset: byteTo, seq: head.seq };
      }
      if (good.length > 0) yield good;
      if (wrong !== null) break;
    }
    if (wrong === null) return;
    // A line read in two pieces may join a torn end with what a repair put in its place. Then it reads otherwise now.
    if (await isStillThere(log, wrong))
      throw journalDamaged(log.path, wrong.byteFrom, describe(wrong, log, at.seq + 1));
  }
}

/**
 * An append that fails on a full disk is taken back, and a reader may have seen whole lines of it. When the same lines
 * come again all is well; when others stand there now, going on would skip them.
 */
function checkStillBefore(before: LogLine, ending: Line, log: Log): void {
  if (ending.byteTo === before.byteTo && ending.bytes.equals(before.bytes.subarray(1 - LINE_ENDING_BYTES))) return;
  throw journalDamaged(log.path, before.byteFrom, `event ${before.seq} was taken back after it was read`);
}

async function isStillThere(log: Log, line: Line): Promise<boolean> {
  const again = Buffer.alloc(line.bytes.length);
  const { bytesRead } = await log.handle.read(again, 0, again.length, line.byteFrom);
  return bytesRead === again.length && again.equals(line.bytes);
}

function describe(line: Line, log: Log, expectedSeq: number): string {
  const head = readLineHead(line.bytes, log.lineStart);
  return head === null
    ? `the line where event ${expectedSeq} should be is not an event`
    : `event ${head.seq} stands where event ${expectedSeq} should be`;
}
