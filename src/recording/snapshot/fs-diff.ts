import type { FsChange, FsDiff, FsEntry } from '../../protocol/index.ts';
import { entryAt, visibleNames } from './fs-entry.ts';
import { isNotCovered } from './limits.ts';
import { joinPath, type Listing } from './listing.ts';
import { textOfName } from './name-bytes.ts';
import { notCovered } from './not-covered.ts';
import type { Snapshot } from './snapshot.ts';

export interface DiffOptions {
  /**
   * Paths that tacho put there. If their sha256 is given (a Map), a path that the program changed afterwards counts as
   * the program's.
   */
  injected?: ReadonlySet<string> | ReadonlyMap<string, string>;
}

/** One changed path, with the latin1 path for sorting. */
interface Difference {
  path: string;
  before: FsEntry | null;
  after: FsEntry | null;
}

/**
 * The changes between two snapshots of one root. A rename is a deletion and a creation; changed times alone do not
 * count.
 */
export function diffFs(before: Snapshot, after: Snapshot, { injected = new Set() }: DiffOptions = {}): FsDiff {
  const differences: Difference[] = [];
  const unreadable = new Map<string, string>();
  const pending = [''];
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    const from = listingAt(before, path);
    const to = listingAt(after, path);
    if (from && from === to && from.complete && !hasGone(before, path, from) && !hasGone(after, path, from)) {
      for (const { name } of from.subdirectories) pending.push(joinPath(path, name));
      continue;
    }
    for (const listing of [from, to]) addUnreadable(path, listing?.error);
    // Nothing is known about the content of a directory that could not be listed then or now.
    if (from && to && (from.error || to.error)) continue;
    const fromNames = from ? visibleNames(before, path, from) : new Map<string, number>();
    const toNames = to ? visibleNames(after, path, to) : new Map<string, number>();
    for (const name of new Set([...fromNames.keys(), ...toNames.keys()])) {
      const child = joinPath(path, name);
      const earlier = fromNames.has(name) ? entryAt(before, child, from!, fromNames.get(name)!) : null;
      const later = toNames.has(name) ? entryAt(after, child, to!, toNames.get(name)!) : null;
      if (isDifferent(earlier, later)) differences.push({ path: child, before: earlier, after: later });
      for (const entry of [earlier, later]) addUnreadable(child, entry?.error);
      if (earlier?.type === 'directory' || later?.type === 'directory') pending.push(child);
    }
  }
  differences.sort((a, b) => (a.path < b.path ? -1 : 1));
  const left = notCovered(after);
  const isInjected = injectedRule(injected);
  const changes = (wanted: (difference: Difference) => boolean) =>
    differences.filter(wanted).map((difference) => changeOf(difference, isInjected));
  return {
    format: 'tacho-fs-diff/1',
    created: changes(({ before }) => before === null),
    modified: changes(({ before, after }) => before !== null && after !== null),
    deleted: changes(({ after }) => after === null),
    unreadable: Array.from(unreadable)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, error]) => ({ path: path === '' ? '.' : textOfName(path).text, error })),
    ...(left.length > 0 ? { not_covered: left } : {}),
  };

  function addUnreadable(path: string, error: string | null | undefined): void {
    if (error && !isNotCovered(error)) unreadable.set(path, error);
  }
}

function listingAt(snapshot: Snapshot, path: string): Listing | undefined {
  const listing = snapshot.directories.get(path);
  return listing?.gone ? undefined : listing;
}

/** A shared listing means the same in both snapshots, except for a directory that vanished during one of them. */
function hasGone(snapshot: Snapshot, path: string, listing: Listing): boolean {
  return listing.subdirectories.some(({ name }) => snapshot.directories.get(joinPath(path, name))?.gone);
}

function isDifferent(before: FsEntry | null, after: FsEntry | null): boolean {
  if (before === null || after === null) return true;
  if (before.type !== after.type || before.mode !== after.mode) return true;
  switch (after.type) {
    case 'file':
      return hasOtherContent(before, after);
    case 'symlink':
      return before.target !== after.target || before.target_bytes !== after.target_bytes;
    case 'directory':
    case 'other':
      return false;
  }
}

function hasOtherContent(before: FsEntry, after: FsEntry): boolean {
  if (before.sha256 !== null && after.sha256 !== null) return before.sha256 !== after.sha256;
  return before.size !== after.size || before.mtime_ns !== after.mtime_ns;
}

function changeOf({ before, after }: Difference, isInjected: (entry: FsEntry) => boolean): FsChange {
  const entry = (after ?? before)!;
  return {
    path: entry.path,
    ...(entry.path_bytes === undefined ? {} : { path_bytes: entry.path_bytes }),
    type: entry.type,
    before,
    after,
    before_blob: null,
    after_blob: null,
    ...(after !== null && isInjected(after) ? { injected: true } : {}),
  };
}

/** A folder that was created for an injected file counts as injected as well. */
function injectedRule(injected: ReadonlySet<string> | ReadonlyMap<string, string>): (entry: FsEntry) => boolean {
  const folders = new Set<string>();
  for (const path of injected.keys()) {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1))
      folders.add(path.slice(0, cut));
  }
  return (entry) => {
    if (entry.type === 'directory' && folders.has(entry.path)) return true;
    if (!injected.has(entry.path)) return false;
    return !('get' in injected) || injected.get(entry.path) === entry.sha256;
  };
}
