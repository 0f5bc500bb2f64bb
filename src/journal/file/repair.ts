import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, ftruncateSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openRegularFile } from '../../files/index.ts';
import { statedChain } from '../../record/chain.ts';
import { MAX_LINE_BYTES } from '../../record/file-pieces.ts';
import { genesisChain, recomputedChain } from '../chain.ts';
import type { Repair } from '../journal.ts';
import { errnoOf, journalDamaged } from './file-errors.ts';
import type { LogPlace } from './log-file.ts';

/** Where the log ends and what the next event is numbered and chained after. */
export interface LogEnd {
  bytes: number;
  lastSeq: number;
  lastTs: string | null;
  chain: string;
}

type LastLine = Omit<LogEnd, 'bytes'>;

const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;

/**
 * Finds the end of the log and makes it the end of a line: a writer that was killed may have left a part of one. The part is
 * kept in a separate file; complete lines are never dropped.
 */
export function repairEnd(fd: number, place: LogPlace, epoch: number): { end: LogEnd; repaired: Repair | null } {
  const size = fstatSync(fd).size;
  const linesTo = afterLastLineFeed(fd, size, place);
  const last = lastLine(fd, linesTo, place);
  if (linesTo === size) return { end: { bytes: size, ...last }, repaired: null };

  const completed = lineWithoutLineFeed(readRange(fd, linesTo, size), last, place);
  if (completed !== null) {
    writeSync(fd, '\n');
    return { end: { bytes: size + 1, ...completed }, repaired: null };
  }
  const repaired = setAside(fd, linesTo, size, place, epoch);
  ftruncateSync(fd, linesTo);
  fsyncSync(fd);
  return { end: { bytes: linesTo, ...last }, repaired };
}

function lastLine(fd: number, linesTo: number, place: LogPlace): LastLine {
  if (linesTo === 0) return { lastSeq: 0, lastTs: null, chain: genesisChain(place.run) };
  const lineFrom = afterLastLineFeed(fd, linesTo - 1, place);
  const line = parseLine(readRange(fd, lineFrom, linesTo - 1), place);
  if (line === null)
    throw journalDamaged(place.path, lineFrom, `the last complete line is not an event of ${place.run}`);
  return line;
}

/** A fragment that lacks nothing but its line feed is an event like any other. */
function lineWithoutLineFeed(fragment: Buffer, before: LastLine, place: LogPlace): LastLine | null {
  const line = parseLine(fragment, place);
  if (line === null || line.lastSeq !== before.lastSeq + 1) return null;
  return recomputedChain(before.chain, fragment) === line.chain ? line : null;
}

function parseLine(line: Buffer, place: LogPlace): LastLine | null {
  const chain = statedChain(line);
  if (chain === null) return null;
  try {
    const { run_id, seq, ts } = JSON.parse(line.toString());
    const isEvent = run_id === place.run && Number.isSafeInteger(seq) && seq > 0 && typeof ts === 'string';
    return isEvent ? { lastSeq: seq, lastTs: ts, chain } : null;
  } catch {
    return null;
  }
}

function setAside(fd: number, from: number, to: number, place: LogPlace, epoch: number): Repair {
  const { fd: keptFd, name } = createFragmentFile(place.folder, epoch);
  const sha256 = createHash('sha256');
  try {
    for (let at = from; at < to; at += CHUNK_BYTES) {
      const piece = readRange(fd, at, Math.min(at + CHUNK_BYTES, to));
      sha256.update(piece);
      writeFileSync(keptFd, piece);
    }
    // The copy must be safe before the original goes.
    fsyncSync(keptFd);
  } finally {
    closeSync(keptFd);
  }
  return { bytes: to - from, sha256: sha256.digest('hex'), kept_as: name };
}

function createFragmentFile(folder: string, epoch: number): { fd: number; name: string } {
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? `torn.${epoch}.bin` : `torn.${epoch}-${copy}.bin`;
    try {
      return { fd: openRegularFile(join(folder, name), 'create'), name };
    } catch (error) {
      // Epochs start over if the lock files were deleted; what an earlier repair kept stays.
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/** Offset after the last line feed before `before`; 0 when there is none. */
function afterLastLineFeed(fd: number, before: number, place: LogPlace): number {
  for (let to = before; to > 0; to -= CHUNK_BYTES) {
    if (before - to > MAX_LINE_BYTES) throw journalDamaged(place.path, to, 'a line is too long');
    const from = Math.max(0, to - CHUNK_BYTES);
    const found = readRange(fd, from, to).lastIndexOf(LINE_FEED);
    if (found !== -1) return from + found + 1;
  }
  return 0;
}

function readRange(fd: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(to - from);
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(fd, buffer, filled, buffer.length - filled, from + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
