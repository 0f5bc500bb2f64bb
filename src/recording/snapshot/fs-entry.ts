import type { FsEntry } from '../../protocol/index.ts';
import { decodeNames, joinPath, type Listing } from './listing.ts';
import { textOfName } from './name-bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { inodeOf, modeOf, mtimeOf, STAT_WORDS, sizeOf, typeOf } from './stat-words.ts';

/** Path of a root that could not be listed, in its own snapshot. */
export const ROOT_PATH = '.';

/** The visible names of a directory and their indexes. */
export function visibleNames(snapshot: Snapshot, path: string, listing: Listing): Map<string, number> {
  const visible = new Map<string, number>();
  for (const [index, name] of decodeNames(listing.names).entries()) {
    if (listing.notes.get(index)?.hidden) continue;
    visible.set(name, index);
  }
  for (const { name } of listing.subdirectories) {
    if (snapshot.directories.get(joinPath(path, name))?.gone) visible.delete(name);
  }
  return visible;
}

/** One entry in the protocol's format. */
export function entryAt(snapshot: Snapshot, path: string, listing: Listing, index: number): FsEntry {
  const at = index * STAT_WORDS;
  const note = listing.notes.get(index);
  const type = typeOf(listing.stats, at);
  const name = textOfName(path);
  const target = note?.target === undefined ? null : textOfName(note.target);
  const error = note?.error ?? (type === 'directory' ? snapshot.directories.get(path)?.error : null);
  const entry: FsEntry = {
    path: name.text,
    type,
    size: sizeOf(listing.stats, at),
    mtime_ns: mtimeOf(listing.stats, at),
    mode: modeOf(listing.stats, at),
    inode: inodeOf(listing.stats, at),
    sha256: listing.sha256[index] ?? null,
  };
  if (name.bytes !== undefined) entry.path_bytes = name.bytes;
  if (target !== null) entry.target = target.text;
  if (target?.bytes !== undefined) entry.target_bytes = target.bytes;
  if (error) entry.error = error;
  if (note?.changedWhileRead) entry.changed_while_read = true;
  return entry;
}

/** All entries in byte order of their paths, one at a time. */
export function* entriesOf(snapshot: Snapshot): Generator<FsEntry> {
  const root = snapshot.directories.get('');
  if (root?.error) yield unlistedRoot(root.error);
  const open = root ? [stepsIn(snapshot, '', root)] : [];
  while (open.length > 0) {
    const steps = open[open.length - 1]!;
    const step = steps.pop();
    if (step === undefined) {
      open.pop();
    } else if (step.index === null) {
      const listing = snapshot.directories.get(step.path);
      if (listing) open.push(stepsIn(snapshot, step.path, listing));
    } else {
      yield entryAt(snapshot, step.path, step.listing, step.index);
    }
  }
}

function unlistedRoot(error: string): FsEntry {
  return { path: ROOT_PATH, type: 'directory', size: 0, mtime_ns: '0', mode: 0, sha256: null, error };
}

interface Step {
  key: string;
  path: string;
  listing: Listing;
  /** Null: enter the directory. */
  index: number | null;
}

/**
 * The steps in one directory, last step first. Entering `a` sorts as `a/`, after the entry `a` itself and also after
 * `a.txt`, because that is the order of the paths below it.
 */
function stepsIn(snapshot: Snapshot, path: string, listing: Listing): Step[] {
  const steps: Step[] = [];
  const visible = visibleNames(snapshot, path, listing);
  for (const [name, index] of visible) steps.push({ key: name, path: joinPath(path, name), listing, index });
  for (const { name } of listing.subdirectories) {
    if (visible.has(name)) steps.push({ key: `${name}/`, path: joinPath(path, name), listing, index: null });
  }
  return steps.sort((a, b) => (a.key < b.key ? 1 : -1));
}
