import fs from 'node:fs';
import path from 'node:path';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';
import { TachoError } from '../../protocol/index.ts';
import { createBreathing } from './breathing.ts';
import { confirmAhead } from './confirm-ahead.ts';
import type { ContentCache } from './content-cache.ts';
import { type DescribeContext, describeDirectory } from './describe-directory.ts';
import { createDirectoryReader, type DirectoryReader } from './directory-reader.ts';
import { createFileHasher } from './hash-file.ts';
import { ignoreRules } from './ignore.ts';
import { absoluteName, GONE, joinPath, type Listing, sameBytes, unreadableListing } from './listing.ts';
import { STAT_WORDS, sameInode } from './stat-words.ts';

/**
 * A file written this shortly before a snapshot began may be written again without its times moving: the kernel's clock
 * for them ticks every 4 to 10 ms. Such a file is hashed again next time, whatever its times say.
 */
const RACY_MS = 20;

/** Every path below `root` that is not ignored, at one time. */
export interface Snapshot {
  readonly root: string;
  /** When the walk began, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly ignored: readonly string[];
  /** By path from the root, as a latin1 string of its bytes; the root itself is ''. */
  readonly directories: ReadonlyMap<string, Listing>;
  readonly entryCount: number;
}

export interface SnapshotOptions {
  /** An earlier snapshot of the same root: what has not changed since is not read again. */
  previous?: Snapshot | null;
  /** Where to keep the content of files, so that a later change can be shown. */
  contents?: ContentCache | null;
}

/** Takes a snapshot of the tree. Whatever cannot be read becomes an entry that says so; only a missing root throws. */
export async function snapshotFs(
  root: string,
  ignore: readonly string[] = [],
  { previous: given = null, contents = null }: SnapshotOptions = {},
): Promise<Snapshot> {
  const takenAt = Date.now();
  const resolved = path.resolve(root);
  const rootName = realName(resolved);
  const rules = ignoreRules(ignore);
  const previous = given?.root === resolved ? given : null;
  const reader = sharedReader();
  const breathe = createBreathing();
  const hasher = createFileHasher({ reader, breathe, contents });
  const racyFrom = (previous?.takenAt ?? 0) - RACY_MS;
  const context: DescribeContext = { reader, hasher, breathe, contents, rules, racyFrom };
  const sameRules = previous !== null && previous.ignored.join('\0') === rules.list.join('\0');
  const ahead = sameRules ? confirmAhead(previous, rootName) : null;

  const directories = new Map<string, Listing>();
  const pending: PendingDirectory[] = [{ path: '', stat: null }];
  try {
    for (let next = pending.pop(); next; next = pending.pop()) {
      const before = previous?.directories.get(next.path);
      const reusable = sameRules && before !== undefined && isReusable(before, racyFrom, contents);
      const listing =
        reusable && ahead?.confirms(next.path)
          ? before
          : await takeListing(context, { ...next, file: absoluteName(rootName, next.path), before, reusable });
      directories.set(next.path, listing);
      for (const { name, index } of listing.subdirectories.toReversed()) {
        const stat = listing.stats.subarray(index * STAT_WORDS, (index + 1) * STAT_WORDS);
        pending.push({ path: joinPath(next.path, name), stat });
      }
      const pause = breathe();
      if (pause) await pause;
    }
  } finally {
    ahead?.stop();
  }
  if (directories.get('')?.gone) throw noRoot(resolved, `${resolved} was removed`);
  return { root: resolved, takenAt, ignored: rules.list, directories, entryCount: countEntries(directories) };
}

interface PendingDirectory {
  path: string;
  /** As its parent's listing had it; null for the root. */
  stat: Uint32Array | null;
}

interface ListingTask extends PendingDirectory {
  file: string;
  before: Listing | undefined;
  reusable: boolean;
}

async function takeListing(context: DescribeContext, task: ListingTask): Promise<Listing> {
  const { reader } = context;
  const fd = reader.openDirectory(task.file);
  if (fd < 0) return failedListing(fd);
  try {
    const self = reader.stat(fd, '');
    if (typeof self === 'number') return failedListing(self);
    // A part of the path may have become a symlink since; that must not lead the walk out of the root.
    if (task.stat && !sameInode(self, task.stat) && !isOpenAt(fd, task.file)) return unreadableListing('ESTALE');
    const reading = reader.readDirectory(fd);
    if (typeof reading === 'number') return failedListing(reading);
    const { before } = task;
    if (before && task.reusable && sameBytes(reading.names, before.names) && sameBytes(reading.stats, before.stats)) {
      return before;
    }
    return await describeDirectory(context, { path: task.path, fd, reading, before });
  } finally {
    reader.close(fd);
  }
}

/** Whether the descriptor is where its path says, with no symlink on the way: the folder was only replaced by a new one. */
function isOpenAt(fd: number, file: string): boolean {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`, 'buffer').toString('latin1') === file;
  } catch {
    return false;
  }
}

function failedListing(negativeErrno: number): Listing {
  const error = getSystemErrorName(negativeErrno);
  return error === 'ENOENT' ? GONE : unreadableListing(error);
}

/** Whether a listing may stand for the directory as a whole once its names and stat words prove to be the same. */
function isReusable(before: Listing, racyFrom: number, contents: ContentCache | null): boolean {
  if (!before.complete || before.gone || before.newest >= racyFrom) return false;
  return contents === null || contents.exhausted || before.keptIn === contents.generation;
}

function countEntries(directories: ReadonlyMap<string, Listing>): number {
  let count = 0;
  for (const listing of directories.values()) {
    count += listing.sha256.length;
    for (const note of listing.notes.values()) if (note.hidden) count--;
    if (listing.gone) count--;
  }
  return count;
}

/** The root may be reached through symlinks; below it none is followed. */
function realName(root: string): string {
  try {
    if (fs.statSync(root).isDirectory()) return fs.realpathSync(root, 'buffer').toString('latin1');
  } catch (cause) {
    throw noRoot(root, `${root} cannot be opened: ${(cause as Error).message}`, cause);
  }
  throw noRoot(root, `${root} is not a folder`);
}

function noRoot(root: string, message: string, cause?: unknown): TachoError {
  return new TachoError('CWD_NOT_FOUND', message, { facts: { path: root }, fix: 'Give a folder that exists.', cause });
}

let reader: DirectoryReader | null = null;

/** One for all snapshots: what it returns is copied or compared before anything else runs. */
function sharedReader(): DirectoryReader {
  reader ??= createDirectoryReader(koffi, fs.constants);
  return reader;
}
