import { LINE_ENDING_BYTES } from '../../record/chain.ts';
import { readLineSeq } from '../../record/line-head.ts';
import type { JournalLine, ReadBuffer } from '../journal.ts';
import { completeLines, type Line } from './complete-lines.ts';
import { journalDamaged } from './file-errors.ts';
import type { Log, Position } from './log-file.ts';

/** A line of the log that stands where its seq says it should. */
export interface LogLine extends JournalLine, Line {}

interface ScanScope {
  byteTo?: number | undefined;
  /** The line that was read last, right before the position. Reading on is an error when it no longer stands there. */
  after?: LineBefore | null;
  reuse?: ReadBuffer | undefined;
}

/** What is kept of a line to know it again. */
export interface LineBefore {
  seq: number;
  byteFrom: number;
  byteTo: number;
  ending: Buffer;
}

export function lineBefore({ seq, byteFrom, byteTo, bytes }: LogLine): LineBefore {
  return { seq, byteFrom, byteTo, ending: Buffer.from(bytes.subarray(1 - LINE_ENDING_BYTES)) };
}

/** The lines from a position on, checked to be numbered without a gap; JOURNAL_DAMAGED where they are not. */
export async function* scan(
  log: Log,
  from: Position,
  { byteTo, after = null, reuse }: ScanScope = {},
): AsyncGenerator<LogLine[], void, undefined> {
  let { offset, seq: lastSeq } = from;
  let before = after;
  for (;;) {
    let wrong: Line | null = null;
    // The end of the line before comes with the same read as what follows it, so no change can fall between them.
    const overlap = before === null ? 0 : LINE_ENDING_BYTES;
    for await (const lines of completeLines(log.handle, offset - overlap, { byteTo, reuse })) {
      if (before !== null) checkStillBefore(before, lines.shift()!, log);
      before = null;
      const good: LogLine[] = [];
      for (const { byteFrom, byteTo, bytes } of lines) {
        const seq = readLineSeq(bytes, log.lineStart);
        if (seq !== lastSeq + 1) {
          wrong = { byteFrom, byteTo, bytes };
          break;
        }
        good.push({ seq, byteFrom, byteTo, bytes });
        lastSeq = seq;
        offset = byteTo;
      }
      if (good.length > 0) yield good;
      if (wrong !== null) break;
    }
    if (wrong === null) return;
    // A line read in two pieces may join a torn end with what a repair put in its place. Then it reads otherwise now.
    if (await isStillThere(log, wrong))
      throw journalDamaged(log.path, wrong.byteFrom, describe(wrong, log, lastSeq + 1));
  }
}

/**
 * An append that fails on a full disk is taken back, and a reader may have seen whole lines of it. When the same lines
 * come again all is well; if others are there now, continuing would skip them.
 */
function checkStillBefore(before: LineBefore, ending: Line, log: Log): void {
  if (ending.byteTo === before.byteTo && ending.bytes.equals(before.ending)) return;
  throw journalDamaged(log.path, before.byteFrom, `event ${before.seq} was taken back after it was read`);
}

async function isStillThere(log: Log, line: Line): Promise<boolean> {
  const again = Buffer.alloc(line.bytes.length);
  const { bytesRead } = await log.handle.read(again, 0, again.length, line.byteFrom);
  return bytesRead === again.length && again.equals(line.bytes);
}

function describe(line: Line, log: Log, expectedSeq: number): string {
  const seq = readLineSeq(line.bytes, log.lineStart);
  return seq === null
    ? `the line where event ${expectedSeq} should be is not an event`
    : `event ${seq} stands where event ${expectedSeq} should be`;
}
