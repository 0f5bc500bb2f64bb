import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { readAt } from '../files/read-at.ts';
import { attemptFileNames, type RawStream, TachoError } from '../protocol/index.ts';
import { ChunkIndex } from './chunk-index.ts';
import type { RunFolder } from './run-folder.ts';
import { ptyHeaderBytes } from './timing.ts';

/** After so much work it is somebody else's turn. */
const TURN_BYTES = 1024 * 1024;

interface Checkpoint {
  attempt: number;
  stream: RawStream;
  bytes: number;
  sha256: string;
}

/**
 * The first byte of a changed stream file. Output is recorded twice, split and merged, and the chunk index says which
 * piece of one is which piece of the other: where they differ is the byte. Failing that, the checkpoints tell between
 * which two of them it must be. Null when neither can tell.
 */
export async function locateDifference(
  folder: RunFolder,
  attempt: number,
  name: string,
  checkpoints: readonly Checkpoint[],
): Promise<number | null> {
  const names = attemptFileNames(attempt);
  const stream = (['stdout', 'stderr', 'pty', 'stdin'] as const).find((key) => names[key] === name);
  if (!stream) return null;
  if (!fs.existsSync(path.join(folder.audit, name))) return null;
  const exact = stream === 'stdin' ? null : await compareWithTwin(folder, attempt, stream);
  return exact ?? firstBrokenCheckpoint(folder, attempt, stream, checkpoints);
}

async function compareWithTwin(
  folder: RunFolder,
  attempt: number,
  stream: 'stdout' | 'stderr' | 'pty',
): Promise<number | null> {
  const names = attemptFileNames(attempt);
  const at = (name: string) => path.join(folder.audit, name);
  const needed = [names.stdout, names.stderr, names.pty, names.chunks];
  if (!needed.every((name) => fs.existsSync(at(name)))) return null;
  const header = ptyHeaderBytes(at(names.pty));
  const index = openIndex(at(names.chunks));
  if (!index) return null;
  const fds = {
    a: fs.openSync(at(names.stdout), 'r'),
    b: fs.openSync(at(names.stderr), 'r'),
    pty: fs.openSync(at(names.pty), 'r'),
  };
  let compared = 0;
  const side = stream === 'pty' ? null : stream === 'stdout' ? 'a' : 'b';
  try {
    for (const { source, length, ends } of index.chunks()) {
      if ((source !== 'a' && source !== 'b') || (side !== null && source !== side)) continue;
      const from = ends[source] - length;
      const mergedFrom = header + ends.a + ends.b - length;
      const split = readAt(fds[source], from, length);
      const merged = readAt(fds.pty, mergedFrom, length);
      const different = firstDifference(split, merged);
      compared += length;
      if (compared > TURN_BYTES) {
        compared = 0;
        await othersTurn();
      }
      if (different !== null) return (stream === 'pty' ? mergedFrom : from) + different;
    }
    return null;
  } finally {
    index.close();
    for (const fd of Object.values(fds)) fs.closeSync(fd);
  }
}

/** Null when it, too, was changed so that it cannot be read; that is told of the index itself. */
function openIndex(file: string): ChunkIndex | null {
  try {
    return ChunkIndex.open(file);
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}

/** Where the last checkpoint that still holds ends: the change is after it. */
async function firstBrokenCheckpoint(
  folder: RunFolder,
  attempt: number,
  stream: RawStream,
  checkpoints: readonly Checkpoint[],
): Promise<number | null> {
  const file = path.join(folder.audit, attemptFileNames(attempt)[stream]);
  const own = checkpoints.filter((checkpoint) => checkpoint.attempt === attempt && checkpoint.stream === stream);
  if (own.length === 0) return null;
  const fd = fs.openSync(file, 'r');
  const hash = createHash('sha256');
  let hashed = 0;
  try {
    for (const { bytes, sha256 } of own) {
      const piece = readAt(fd, hashed, bytes - hashed);
      hash.update(piece);
      if (hash.copy().digest('hex') !== sha256) return hashed;
      hashed = bytes;
      await othersTurn();
    }
    return hashed;
  } finally {
    fs.closeSync(fd);
  }
}

function firstDifference(one: Buffer, other: Buffer): number | null {
  if (one.equals(other)) return null;
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) if (one[at] !== other[at]) return at;
  return shorter;
}
