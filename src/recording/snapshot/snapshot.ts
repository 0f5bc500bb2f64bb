import fs from 'node:fs';
import path from 'node:path';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';
import { createYielder } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { confirmAhead } from './confirm-ahead.ts';
import type { ContentCache } from './content-cache.ts';
import { type DescribeContext, describeDirectory } from './describe-directory.ts';
import { createDirectoryReader, type Device, type DirectoryReader } from './directory-reader.ts';
import { createFileHasher } from './hash-file.ts';
import { isAlwaysCovered, leadsToAlwaysCovered } from './ignore/always-covered.ts';
import { IGNORE_FILE, type IgnoreFile, isOutside, sameRules } from './ignore/ignore-file.ts';
import { type IgnoreRules, ignoreRules } from './ignore/ignore-rules.ts';
import { outerIgnoreFiles } from './ignore/outer-ignore-files.ts';
import { readIgnoreFile } from './ignore/read-ignore-file.ts';
import { type Allowance, isNotCovered, type NotCoveredReason, type SnapshotLimits, startAllowance } from './limits.ts';
import { absoluteName, GONE, hasName, joinPath, type Listing, sameBytes, unreadableListing } from './listing.ts';
import { STAT_WORDS, sameInode } from './stat-words.ts';

/**
 * A file written this shortly before a snapshot began may be written again without a change of its times: the kernel's
 * clock for them ticks every 4 to 10 ms. Such a file is always hashed again next time.
 */
const RACY_MS = 20;

/** All covered paths below `root`, at one time. */
export interface Snapshot {
  readonly root: string;
  /** When the walk began, in milliseconds since the epoch. */
  readonly takenAt: number;
  readonly rules: IgnoreRules;
  /** By path from the root, as a latin1 string of its bytes; the root itself is ''. */
  readonly directories: ReadonlyMap<string, Listing>;
  readonly entryCount: number;
}

export interface SnapshotOptions {
  /** An earlier snapshot of the same root: unchanged files are not read again. */
  previous?: Snapshot | null;
  /** Where to store the content of files, so that a later change can be shown. */
  contents?: ContentCache | null;
  /** Paths from the root that belong to tacho. */
  own?: readonly string[];
  /**
   * `read`: apply the ignore files of the tree and of its git repository. `previous`: apply the rules of the previous
   * snapshot, whatever these files contain now.
   */
  ignoreFiles?: 'none' | 'read' | 'previous';
  limits?: Partial<SnapshotLimits>;
  /** Aborts the snapshot within a few milliseconds. */
  signal?: AbortSignal;
}

/**
 * Takes a snapshot of the tree. Everything unreadable or beyond a limit becomes an entry that says so; only a missing
 * root throws.
 */
export async function snapshotFs(
  root: string,
  ignore: readonly string[] = [],
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { contents = null, own = [], ignoreFiles = 'none', limits = {}, signal } = options;
  const takenAt = Date.now();
  const allowance = startAllowance(limits);
  const resolved = path.resolve(root);
  const rootName = realName(resolved);
  const previous = options.previous?.root === resolved ? options.previous : null;
  const files = ignoreFiles === 'read' ? outerIgnoreFiles(rootName) : ignoreFiles === 'none' ? [] : rulesIn(previous);
  const rules = ignoreRules(rootName, { given: ignore, own, files });
  const reader = sharedReader();
  const yieldToEventLoop = createYielder(signal);
  const hasher = createFileHasher({ reader, yieldToEventLoop, contents, allowance });
  const racyFrom = (previous?.takenAt ?? 0) - RACY_MS;
  const readsRules = ignoreFiles === 'read';
  const context: WalkContext = {
    reader,
    hasher,
    yieldToEventLoop,
    contents,
    rules,
    racyFrom,
    allowance,
    readsRules,
    leavesUnhashed: ignoreFiles === 'previous',
    device: null,
  };
  const sameRulesAtRoot = previous !== null && startsWithSameRules(previous.rules, rules);
  const ahead = sameRulesAtRoot ? confirmAhead(previous, rootName) : null;

  const directories = new Map<string, Listing>();
  // Breadth first, and first what is always covered: if a limit ends the walk, paths near the root are covered.
  const queue: PendingDirectory[] = [{ path: '', stat: null, foreign: false, sameRules: sameRulesAtRoot }];
  const urgent: PendingDirectory[] = [];
  let at = 0;
  try {
    for (let next = queue[at++]; next; next = urgent.pop() ?? queue[at++]) {
      const before = previous?.directories.get(next.path);
      const reusable = next.sameRules && before !== undefined && isReusable(before, racyFrom, contents);
      const left = ignoreFiles === 'previous' && isNotCovered(before?.error) ? before.error : null;
      const reason = next.foreign ? 'OTHER_FILE_SYSTEM' : (left ?? exceeded(allowance));
      const listing = reason
        ? unreadableListing(reason)
        : reusable && ahead?.confirms(next.path)
          ? before
          : await takeListing(context, { ...next, file: absoluteName(rootName, next.path), before, reusable });
      directories.set(next.path, listing);
      allowance.entriesLeft -= listing.count;
      const ruleFile = joinPath(next.path, IGNORE_FILE);
      const earlierRules = previous?.rules.files.get(ruleFile);
      if (listing === before && readsRules && earlierRules) rules.add(earlierRules);
      const sameBelow = next.sameRules && sameRules(earlierRules, rules.files.get(ruleFile));
      for (const { name, index } of listing.subdirectories) {
        const stat = listing.stats.subarray(index * STAT_WORDS, (index + 1) * STAT_WORDS);
        const foreign = listing.notes.get(index)?.foreign === true;
        const child = joinPath(next.path, name);
        (isUrgent(child) ? urgent : queue).push({ path: child, stat, foreign, sameRules: sameBelow });
      }
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
  } finally {
    ahead?.stop();
  }
  if (directories.get('')?.gone) throw noRoot(resolved, `${resolved} was removed`);
  return { root: resolved, takenAt, rules, directories, entryCount: countEntries(directories) };
}

interface WalkContext extends DescribeContext {
  readsRules: boolean;
  /** Device of the root, once it is known. */
  device: Device | null;
}

interface PendingDirectory {
  path: string;
  /** From its parent's listing; null for the root. */
  stat: Uint32Array | null;
  foreign: boolean;
  /** The inherited rules are the same as in the previous snapshot. */
  sameRules: boolean;
}

interface ListingTask extends PendingDirectory {
  file: string;
  before: Listing | undefined;
  reusable: boolean;
}

async function takeListing(context: WalkContext, task: ListingTask): Promise<Listing> {
  const { reader, allowance, rules } = context;
  const fd = reader.openDirectory(task.file);
  if (fd < 0) return failedListing(fd);
  try {
    const self = reader.stat(fd, '');
    if (typeof self === 'number') return failedListing(self);
    context.device ??= reader.device();
    // Part of the path may have become a symlink, which must not lead the walk out of the root.
    if (task.stat && !sameInode(self, task.stat) && !isOpenAt(fd, task.file)) return unreadableListing('ESTALE');
    const { until, entriesLeft: entries } = allowance;
    const reading = reader.readDirectory(fd, { until, entries, device: context.device });
    if (typeof reading === 'number') return failedListing(reading);
    const { before } = task;
    if (before && task.reusable && sameBytes(reading.names, before.names) && sameBytes(reading.stats, before.stats)) {
      return before;
    }
    if (context.readsRules && hasName(reading.names, IGNORE_FILE)) {
      const found = readIgnoreFile(reader, fd);
      if (found.length > 0) rules.add({ path: joinPath(task.path, IGNORE_FILE), rules: found });
    }
    return await describeDirectory(context, { path: task.path, fd, reading, before });
  } finally {
    reader.close(fd);
  }
}

function exceeded({ entriesLeft, until }: Allowance): NotCoveredReason | null {
  if (entriesLeft <= 0) return 'ENTRY_LIMIT';
  return performance.now() > until ? 'TIME_LIMIT' : null;
}

function isUrgent(folder: string): boolean {
  return leadsToAlwaysCovered(folder) || isAlwaysCovered(folder, true);
}

function rulesIn(snapshot: Snapshot | null): Iterable<IgnoreFile> {
  return snapshot?.rules.files.values() ?? [];
}

/** Whether the same rules apply at the root, except those of an ignore file in it. */
function startsWithSameRules(before: IgnoreRules, now: IgnoreRules): boolean {
  if (before.list.join('\0') !== now.list.join('\0')) return false;
  const outside = ({ files }: IgnoreRules) => [...files.values()].filter(({ path: file }) => isOutside(file));
  return JSON.stringify(outside(before)) === JSON.stringify(outside(now));
}

/** Whether the descriptor is still at its path, without a symlink: the folder was only replaced by a new one. */
function isOpenAt(fd: number, file: string): boolean {
  try {
    return fs.readlinkSync(`/proc/self/fd/${fd}`, 'buffer').toString('latin1') === file;
  } catch {
    return false;
  }
}

function failedListing(negativeErrno: number): Listing {
  const error = getSystemErrorName(negativeErrno);
  if (error === 'ENOENT') return GONE;
  return unreadableListing(error === 'EFBIG' ? 'ENTRY_LIMIT' : error === 'ETIME' ? 'TIME_LIMIT' : error);
}

/** Whether a listing may be reused for the directory if its names and stat words are the same. */
function isReusable(before: Listing, racyFrom: number, contents: ContentCache | null): boolean {
  if (!before.complete || before.gone || before.newest >= racyFrom) return false;
  return contents === null || contents.exhausted || before.keptIn === contents.generation;
}

function countEntries(directories: ReadonlyMap<string, Listing>): number {
  let count = 0;
  for (const listing of directories.values()) {
    count += listing.count;
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

/** Shared by all snapshots: its results are copied or compared before anything else runs. */
function sharedReader(): DirectoryReader {
  reader ??= createDirectoryReader(koffi, fs.constants);
  return reader;
}
