import { readLineHead } from '../../record/line-head.ts';
import type { LineOptions } from '../journal.ts';
import { type IndexTable, loadIndex } from './index-file.ts';
import { type Log, type Position, START } from './log-file.ts';
import { type LogLine, scan } from './scan.ts';

/** What to read; times in milliseconds since the epoch. */
export interface Selection {
  afterSeq: number;
  fromMs: number;
  toMs: number;
}

interface Stretch {
  from: Position;
  byteTo: number;
}

const NO_END = Number.POSITIVE_INFINITY;
const LINE_FEED = 0x0a;

/** The selected lines in seq order. The index only decides which parts of the log need no looking at. */
export async function* selectLines(
  log: Log,
  selection: Selection,
  { reuse }: LineOptions = {},
): AsyncGenerator<LogLine[], void, undefined> {
  const index = needsIndex(selection) ? await loadIndex(log) : null;
  const stretches = index === null ? [{ from: START, byteTo: NO_END }] : stretchesOf(index, selection);
  let at = START;
  let promisedEnd = at.offset;
  for (const planned of stretches) {
    // Once a promise of the index is not kept, everything from the last sure position on is looked at.
    const reliable =
      at.offset === promisedEnd && (planned.from.offset === at.offset || (await isBetweenLines(log, planned.from)));
    const { from, byteTo } = reliable ? planned : { from: at, byteTo: NO_END };
    at = from;
    for await (const lines of scan(log, from, { byteTo, reuse })) {
      at = endOf(lines);
      const selected = lines.filter((line) => isSelected(line, selection, log));
      if (selected.length > 0) yield selected;
    }
    if (byteTo === NO_END) return;
    promisedEnd = byteTo;
  }
}

/** A position at or before the first event after `afterSeq`, as near as the index knows. */
export async function positionBefore(log: Log, afterSeq: number): Promise<Position> {
  if (afterSeq <= 0) return START;
  const index = await loadIndex(log);
  const position = index.position(lastBlockUpTo(index, afterSeq));
  return (await isBetweenLines(log, position)) ? position : START;
}

export function endOf(lines: readonly LogLine[]): Position {
  const last = lines[lines.length - 1]!;
  return { offset: last.byteTo, seq: last.seq };
}

function needsIndex({ afterSeq, fromMs, toMs }: Selection): boolean {
  return afterSeq > 0 || fromMs !== Number.NEGATIVE_INFINITY || toMs !== Number.POSITIVE_INFINITY;
}

function isSelected(line: LogLine, { afterSeq, fromMs, toMs }: Selection, { lineStart }: Log): boolean {
  if (line.seq <= afterSeq) return false;
  if (fromMs === Number.NEGATIVE_INFINITY && toMs === Number.POSITIVE_INFINITY) return true;
  const time = Date.parse(readLineHead(line.bytes, lineStart)!.ts);
  return time >= fromMs && time <= toMs;
}

/** The blocks that can hold a selected event, neighbours joined, and the part of the log the index does not know yet. */
function stretchesOf(index: IndexTable, { afterSeq, fromMs, toMs }: Selection): Stretch[] {
  const stretches: Stretch[] = [];
  const add = (from: Position, byteTo: number) => {
    const last = stretches.at(-1);
    if (last?.byteTo === from.offset) last.byteTo = byteTo;
    else stretches.push({ from, byteTo });
  };
  for (let number = lastBlockUpTo(index, afterSeq) + 1; number <= index.count; number++) {
    if (index.maxTs(number) < fromMs || index.minTs(number) > toMs) continue;
    add(index.position(number - 1), index.position(number).offset);
  }
  add(index.position(index.count), NO_END);
  return stretches;
}

/** Number of the last record whose block ends at or before `seq`; 0 when there is none. */
function lastBlockUpTo(index: IndexTable, seq: number): number {
  let low = 0;
  let high = index.count;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (index.position(middle).seq <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True when a line ends right before the position and the line after it, if any, has the promised seq. */
async function isBetweenLines(log: Log, position: Position): Promise<boolean> {
  if (position.offset === 0) return position.seq === 0;
  const around = Buffer.alloc(1 + log.lineStart.length + 128);
  const { bytesRead } = await log.handle.read(around, 0, around.length, position.offset - 1);
  if (bytesRead === 0 || around[0] !== LINE_FEED) return false;
  const head = readLineHead(around.subarray(1, bytesRead), log.lineStart);
  const atTheEnd = bytesRead < around.length;
  return head === null ? atTheEnd : head.seq === position.seq + 1;
}
