import { getSystemErrorName } from 'node:util';
import type { ContentCache } from './content-cache.ts';
import type { DirectoryReader, DirectoryReading } from './directory-reader.ts';
import type { ContentReading, FileHasher } from './hash-file.ts';
import type { IgnoreRules } from './ignore/ignore-rules.ts';
import type { Allowance } from './limits.ts';
import { createListing, decodeNames, type EntryNote, joinPath, type Listing, sameBytes } from './listing.ts';
import { newestTimeOf, STAT_WORDS, sizeOf, typeOf } from './stat-words.ts';

/** How often a name that keeps being replaced is read. */
const ATTEMPTS = 4;

/** What all directories of a snapshot share. */
export interface DescribeContext {
  reader: DirectoryReader;
  hasher: FileHasher;
  yieldToEventLoop: () => Promise<unknown> | undefined;
  contents: ContentCache | null;
  rules: IgnoreRules;
  /** Files with a time from here on are hashed again, even if they look unchanged. */
  racyFrom: number;
  allowance: Allowance;
  /**
   * A file that was not hashed before and has not changed is not hashed now either, because there is nothing to
   * compare.
   */
  leavesUnhashed: boolean;
}

interface OpenDirectory {
  path: string;
  fd: number;
  reading: DirectoryReading;
  before: Listing | undefined;
}

/** Reads what is new in a directory and takes the rest from the previous listing. */
export async function describeDirectory(context: DescribeContext, directory: OpenDirectory): Promise<Listing> {
  const { contents, rules, yieldToEventLoop, allowance } = context;
  const { before } = directory;
  const names = directory.reading.names.slice();
  const stats = directory.reading.stats.slice();
  const notes = new Map<number, EntryNote>();
  for (const { index, errno } of directory.reading.failures) notes.set(index, { error: getSystemErrorName(-errno) });
  for (const index of directory.reading.foreign) notes.set(index, { foreign: true });
  const decoded = decodeNames(names);
  const earlier = before && positionsIn(before, names, decoded);
  const sha256 = new Array<string | null>(decoded.length).fill(null);
  let allKept = true;

  for (const [index, name] of decoded.entries()) {
    const isFolder = typeOf(stats, index * STAT_WORDS) === 'directory';
    if (rules.hiddenBy(directory.path, name, isFolder) !== null) {
      notes.set(index, { hidden: 'ignored' });
      continue;
    }
    if (notes.has(index)) continue;
    const stat = stats.subarray(index * STAT_WORDS, (index + 1) * STAT_WORDS);
    const position = earlier?.get(name);
    if (before && position !== undefined && isUnchanged(context, before, position, stat)) {
      const missing = contents !== null && isContentMissing(contents, before, position, joinPath(directory.path, name));
      if (!missing || !contents.accepts(sizeOf(stat, 0)) || !allowance.mayHash()) {
        if (missing) allKept = false;
        sha256[index] = before.sha256[position]!;
        const note = before.notes.get(position);
        if (note) notes.set(index, note);
        continue;
      }
    }
    const entry = await readEntry(context, directory, name, stat);
    if (entry.kind === 'hashed') {
      sha256[index] = entry.sha256;
      allKept &&= entry.kept;
    }
    const note = noteOf(entry);
    if (note) notes.set(index, note);
    const pause = yieldToEventLoop();
    if (pause) await pause;
  }
  return createListing({ names, stats, sha256, notes, keptIn: allKept && contents ? contents.generation : null });
}

type EntryReading =
  | Exclude<ContentReading, { kind: 'replaced' }>
  | { kind: 'link'; target: string }
  /** Nothing to read. */
  | { kind: 'plain' };

/** A name that is replaced meanwhile, as editors do when they save, is read again. */
async function readEntry(
  { reader, hasher }: DescribeContext,
  { path, fd: directory }: OpenDirectory,
  name: string,
  stat: Uint32Array,
): Promise<EntryReading> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const type = typeOf(stat, 0);
    // Sockets, pipes and devices are never opened: that could hang or have side effects.
    if (type === 'directory' || type === 'other') return { kind: 'plain' };
    const entry =
      type === 'file'
        ? await hasher.hash(directory, name, stat, joinPath(path, name))
        : readTarget(reader, directory, name);
    if (entry.kind !== 'replaced') return entry;
    const current = reader.stat(directory, name);
    if (typeof current === 'number') return failure(current);
    stat.set(current);
  }
  return { kind: 'failed', error: 'ESTALE' };
}

function readTarget(reader: DirectoryReader, directory: number, name: string): EntryReading | { kind: 'replaced' } {
  const target = reader.readLink(directory, name);
  if (typeof target === 'string') return { kind: 'link', target };
  return getSystemErrorName(target) === 'EINVAL' ? { kind: 'replaced' } : failure(target);
}

function failure(negativeErrno: number): EntryReading {
  const error = getSystemErrorName(negativeErrno);
  return error === 'ENOENT' ? { kind: 'vanished' } : { kind: 'failed', error };
}

function noteOf(entry: EntryReading): EntryNote | null {
  switch (entry.kind) {
    case 'hashed':
      return entry.changedWhileRead ? { changedWhileRead: true } : null;
    case 'link':
      return { target: entry.target };
    case 'failed':
      return { error: entry.error };
    case 'vanished':
      return { hidden: 'vanished' };
    case 'plain':
      return null;
  }
}

function isUnchanged(context: DescribeContext, before: Listing, position: number, stat: Uint32Array): boolean {
  const at = position * STAT_WORDS;
  for (let word = 0; word < STAT_WORDS; word++) if (before.stats[at + word] !== stat[word]) return false;
  const note = before.notes.get(position);
  if (note?.error === 'TIME_LIMIT') return context.leavesUnhashed;
  if (note?.hidden || note?.error !== undefined || note?.changedWhileRead) return false;
  return newestTimeOf(stat, 0) < context.racyFrom;
}

function isContentMissing(contents: ContentCache, before: Listing, position: number, path: string): boolean {
  if (before.keptIn === contents.generation) return false;
  const sha256 = before.sha256[position];
  if (!sha256 || sizeOf(before.stats, position * STAT_WORDS) > contents.largest) return false;
  const at = position * STAT_WORDS;
  return !contents.has(sha256) && !contents.isElsewhere(path, before.stats.subarray(at, at + STAT_WORDS));
}

function positionsIn(before: Listing, names: Uint8Array, decoded: string[]): Map<string, number> {
  const earlier = sameBytes(before.names, names) ? decoded : decodeNames(before.names);
  return new Map(earlier.map((name, index) => [name, index]));
}
