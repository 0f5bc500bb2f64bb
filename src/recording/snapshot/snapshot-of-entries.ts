import type { FsEntry, FsSnapshot } from '../../protocol/index.ts';
import { ROOT_PATH } from './fs-entry.ts';
import type { IgnoreFile } from './ignore/ignore-file.ts';
import { ignoreRules } from './ignore/ignore-rules.ts';
import { createListing, type EntryNote, type Listing, unreadableListing } from './listing.ts';
import { bytesOfName, nameOfBase64, nameOfText } from './name-bytes.ts';
import type { Snapshot } from './snapshot.ts';
import { putEntry, STAT_WORDS } from './stat-words.ts';

/** Converts a snapshot file to its form in memory. */
export function snapshotOfEntries(file: FsSnapshot): Snapshot {
  const children = new Map<string, { name: string; entry: FsEntry }[]>([['', []]]);
  const errors = new Map<string, string>();
  for (const entry of file.entries) {
    if (entry.path === ROOT_PATH) {
      errors.set('', entry.error ?? 'EIO');
      continue;
    }
    const path = entry.path_bytes === undefined ? nameOfText(entry.path) : nameOfBase64(entry.path_bytes);
    const cut = path.lastIndexOf('/');
    const siblings = children.get(cut < 0 ? '' : path.slice(0, cut));
    if (!siblings) throw new Error(`${entry.path} is listed before its directory`);
    siblings.push({ name: path.slice(cut + 1), entry });
    if (entry.type !== 'directory') continue;
    children.set(path, []);
    if (entry.error !== undefined) errors.set(path, entry.error);
  }
  const directories = new Map<string, Listing>();
  for (const [path, entries] of children) {
    const error = errors.get(path);
    directories.set(path, error === undefined ? listingOf(entries) : unreadableListing(error));
  }
  return {
    root: file.root,
    takenAt: Date.parse(file.taken_at),
    rules: ignoreRules(nameOfText(file.root), { given: file.ignored, files: ignoreFilesOf(file) }),
    directories,
    entryCount: file.entries.length,
  };
}

function ignoreFilesOf({ ignore_files = [] }: FsSnapshot): IgnoreFile[] {
  return ignore_files.map(({ path, path_bytes, rules }) => ({
    path: path_bytes === undefined ? nameOfText(path) : nameOfBase64(path_bytes),
    rules: rules.map(nameOfText),
  }));
}

function listingOf(entries: readonly { name: string; entry: FsEntry }[]): Listing {
  const stats = new Uint32Array(entries.length * STAT_WORDS);
  const notes = new Map<number, EntryNote>();
  for (const [index, { entry }] of entries.entries()) {
    putEntry(stats, index * STAT_WORDS, entry);
    const note: EntryNote = {};
    if (entry.target !== undefined) {
      note.target = entry.target_bytes === undefined ? nameOfText(entry.target) : nameOfBase64(entry.target_bytes);
    }
    // A directory's error belongs to its listing.
    if (entry.error !== undefined && entry.type !== 'directory') note.error = entry.error;
    if (entry.changed_while_read) note.changedWhileRead = true;
    if (Object.keys(note).length > 0) notes.set(index, note);
  }
  const names = bytesOfName(entries.map(({ name }) => `${name}\0`).join(''));
  return createListing({ names, stats, sha256: entries.map(({ entry }) => entry.sha256), notes });
}
