import { createHash } from 'node:crypto';
import { newestTimeOf, STAT_WORDS, typeOf } from './stat-words.ts';

/** Facts about one name besides its stat words and its hash. */
export interface EntryNote {
  /** Why a name of the directory is not in the snapshot. */
  hidden?: 'ignored' | 'vanished';
  /** Target of a symlink, as a latin1 string of the bytes. */
  target?: string;
  /** Why the content could not be read. */
  error?: string;
  changedWhileRead?: true;
  /** A directory on another file system, which is not entered. */
  foreign?: true;
}

/**
 * One directory of a snapshot, in columns. Snapshots share the listings of unchanged directories, so listings are
 * immutable.
 */
export interface Listing {
  /** NUL-terminated names, in file system order. */
  readonly names: Uint8Array;
  readonly stats: Uint32Array;
  /** Number of names. */
  readonly count: number;
  readonly sha256: readonly (string | null)[];
  readonly notes: ReadonlyMap<number, EntryNote>;
  /** Digest of names and stats: equal digests mean equal directories. */
  readonly digest: Uint8Array;
  /** Why the directory could not be listed; then it has no names. */
  readonly error: string | null;
  /** The directory vanished after its parent was listed. */
  readonly gone: boolean;
  /** All contents and links could be read, and did not change meanwhile. */
  readonly complete: boolean;
  /** Latest mtime or ctime of entries that are not directories, in milliseconds. */
  readonly newest: number;
  readonly subdirectories: readonly Subdirectory[];
  /** Generation of the content cache that holds every file of this directory up to its limit. */
  readonly keptIn: string | null;
}

interface Subdirectory {
  name: string;
  index: number;
}

/** The columns from a reader or a file; the rest is computed. */
type ListingColumns = Pick<Listing, 'names' | 'stats' | 'notes'> & {
  /** A function to decode them on demand; most directories of the cache never need them. */
  sha256: Listing['sha256'] | (() => Listing['sha256']);
  /** If already known. */
  digest?: Uint8Array;
  keptIn?: string | null;
  /** If already known: the time of the newest entry, and the indexes of directories. */
  summary?: ListingSummary;
};

interface ListingSummary {
  newest: number;
  folders: readonly number[];
}

export function createListing(columns: ListingColumns): Listing {
  const { names, stats, notes } = columns;
  const count = stats.length / STAT_WORDS;
  let { sha256 } = columns;
  const { newest, folders } = columns.summary ?? summarize(columns);
  let complete = true;
  for (const { error, changedWhileRead, hidden } of notes.values()) {
    if (error !== undefined || changedWhileRead || hidden === 'vanished') complete = false;
  }
  const decoded = folders.length === 0 ? [] : decodeNames(names);
  return {
    names,
    stats,
    count,
    get sha256() {
      if (typeof sha256 === 'function') sha256 = sha256();
      return sha256;
    },
    notes,
    digest: columns.digest ?? digestOf(createHash, names, stats),
    error: null,
    gone: false,
    complete,
    newest,
    subdirectories: folders.map((index) => ({ name: decoded[index]!, index })),
    keptIn: columns.keptIn ?? null,
  };
}

function summarize({ stats, notes }: Pick<Listing, 'stats' | 'notes'>): ListingSummary {
  const folders: number[] = [];
  let newest = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < stats.length / STAT_WORDS; index++) {
    const at = index * STAT_WORDS;
    if (notes.get(index)?.hidden) continue;
    if (typeOf(stats, at) === 'directory') folders.push(index);
    else newest = Math.max(newest, newestTimeOf(stats, at));
  }
  return { newest, folders };
}

const EMPTY = createListing({ names: new Uint8Array(), stats: new Uint32Array(), sha256: [], notes: new Map() });

/** For a directory that was removed while the snapshot was being taken. */
export const GONE: Listing = { ...EMPTY, gone: true };

export function unreadableListing(error: string): Listing {
  return { ...EMPTY, error, complete: false };
}

/** The hash function is a parameter because this also runs in the helper thread, as text (`confirm-ahead.ts`). */
export function digestOf(create: typeof createHash, names: Uint8Array, stats: Uint32Array): Uint8Array {
  return create('sha256').update(names).update(stats).digest();
}

export function decodeNames(names: Uint8Array): string[] {
  const text = Buffer.from(names.buffer, names.byteOffset, names.byteLength).toString('latin1');
  const decoded = text.split('\0');
  decoded.pop();
  return decoded;
}

export function hasName(names: Uint8Array, name: string): boolean {
  const all = Buffer.from(names.buffer, names.byteOffset, names.byteLength);
  const first = Buffer.from(`${name}\0`, 'latin1');
  return all.subarray(0, first.length).equals(first) || all.includes(`\0${name}\0`, 0, 'latin1');
}

export function sameBytes(a: Uint8Array | Uint32Array, b: Uint8Array | Uint32Array): boolean {
  return a.byteLength === b.byteLength && Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

export function bytesOf(array: Uint8Array | Uint32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

export function joinPath(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`;
}

export function absoluteName(root: string, path: string): string {
  if (path === '') return root;
  return root === '/' ? `/${path}` : `${root}/${path}`;
}
