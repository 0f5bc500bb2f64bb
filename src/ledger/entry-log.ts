import fs from 'node:fs';
import { readAt } from '../files/index.ts';
import { nodeSha256 } from '../journal/index.ts';
import { TachoError } from '../protocol/index.ts';
import { type LedgerEntry, ledgerEntrySchema } from '../protocol/record/ledger.ts';
import { leafHash } from '../record/index.ts';

const LF = 0x0a;
/** Small enough for the processor's cache. */
const PIECE_BYTES = 256 * 1024;
/** Longer than any entry. */
export const MAX_LINE_BYTES = 4096;

/** An entry with the bytes that were hashed, which are its line without the line feed. */
export interface Entered {
  entry: LedgerEntry;
  line: Buffer;
  leaf: string;
}

/** What the first entry names as the one before. */
export const NO_ENTRY = nodeSha256.of('');

/** A place between entries: how many are before it, the leaf of the last of those, and the byte after it. */
export interface Mark {
  size: number;
  leaf: string;
  end: number;
}

export const START: Mark = { size: 0, leaf: NO_ENTRY, end: 0 };

/** The last whole entry, and where the next one goes: after it, over whatever a crash left there. */
export function lastEntry(fd: number): { last: Entered | null; end: number } {
  const { size } = fs.fstatSync(fd);
  const from = Math.max(0, size - 2 * MAX_LINE_BYTES);
  const tail = readAt(fd, from, size - from);
  const lineEnd = tail.lastIndexOf(LF);
  if (lineEnd < 0) {
    if (size > MAX_LINE_BYTES) throw damaged('its last line is longer than any entry');
    return { last: null, end: 0 };
  }
  const lineFrom = tail.lastIndexOf(LF, lineEnd - 1) + 1;
  return { last: readLine(tail.subarray(lineFrom, lineEnd)), end: from + lineEnd + 1 };
}

/** The entries that hold a text, without reading the others. */
export function* findEntries(fd: number, text: string): Generator<Entered> {
  for (const { lines } of wholeLines(fd, 0)) {
    for (let at = lines.indexOf(text); at >= 0; ) {
      const end = lines.indexOf(LF, at);
      yield readLine(Buffer.from(lines.subarray(lines.lastIndexOf(LF, at) + 1, end)));
      at = lines.indexOf(text, end);
    }
  }
}

export function firstEntry(fd: number): Entered | null {
  const start = readAt(fd, 0, MAX_LINE_BYTES);
  const end = start.indexOf(LF);
  return end < 0 ? null : readLine(start.subarray(0, end));
}

/**
 * The entries after a mark in order, each with its line until the next is asked for, and where that begins. Throws where
 * one does not follow from the one before.
 */
export function* walkEntries(fd: number, mark: Mark = START): Generator<Entered & { from: number }> {
  let { size: n, leaf: previous } = mark;
  for (const { lines, at } of wholeLines(fd, mark.end)) {
    for (let from = 0; from < lines.length; ) {
      const end = lines.indexOf(LF, from);
      const { entry, line, leaf } = readLine(lines.subarray(from, end));
      if (entry.n !== n) throw damaged(`entry ${n} is missing; entry ${entry.n} is in its place`);
      if (entry.previous !== previous) throw damaged(`entry ${n} does not follow from the one before`);
      yield { entry, line, leaf, from: at + from };
      n++;
      previous = leaf;
      from = end + 1;
    }
  }
}

/** Pieces of the file, each of whole lines, in the same memory. What a crash left at its end is none. */
function* wholeLines(fd: number, start: number): Generator<{ lines: Buffer; at: number }> {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = start; ; ) {
    const length = fs.readSync(fd, piece, 0, PIECE_BYTES, at);
    const end = piece.subarray(0, length).lastIndexOf(LF) + 1;
    if (end > 0) yield { lines: piece.subarray(0, end), at };
    if (length < PIECE_BYTES) return;
    if (end === 0) throw damaged('a line is longer than any entry');
    at += end;
  }
}

export function enter(entry: LedgerEntry): Entered {
  const line = Buffer.from(JSON.stringify(entry));
  return { entry, line, leaf: leafHash(line, nodeSha256) };
}

/** A line as `append` writes it. Whatever else is an entry is read by its schema, which takes ten times as long. */
const WRITTEN =
  /^\{"n":(\d{1,15}),"at":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)","what":"(sealed|recovered|completed)","run_id":"([\w-]+)","attempt":([1-9]\d{0,8}),"seal":"([0-9a-f]{64})","previous":"([0-9a-f]{64})"\}$/;

export function readLine(line: Buffer): Entered {
  const [, n, at, what, run_id, attempt, seal, previous] = WRITTEN.exec(line.toString('latin1')) ?? [];
  if (previous !== undefined) {
    const entry = { n: Number(n), at, what, run_id, attempt: Number(attempt), seal, previous } as LedgerEntry;
    return { entry, line, leaf: leafHash(line, nodeSha256) };
  }
  let value: unknown;
  try {
    value = JSON.parse(line.toString());
  } catch (cause) {
    throw damaged('a line is not JSON', cause);
  }
  const parsed = ledgerEntrySchema.safeParse(value);
  if (!parsed.success) throw damaged('a line is not an entry', parsed.error);
  return { entry: parsed.data, line, leaf: leafHash(line, nodeSha256) };
}

function damaged(why: string, cause?: unknown): TachoError {
  return new TachoError('LEDGER_DAMAGED', `the ledger of seals is damaged: ${why}`, {
    cause,
    fix: 'Put back the file ledger/entries.jsonl of the data folder from a backup. Records themselves are not affected.',
  });
}
