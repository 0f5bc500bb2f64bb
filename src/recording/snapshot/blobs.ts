import { hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { createYielder, isRegularFile, readRegularBytes, writeWhole } from '../../files/index.ts';
import { BLOBS_FOLDER, type FsChange, type FsDiff, type FsEntry } from '../../protocol/index.ts';
import { writeFailure } from '../attempt-file.ts';
import type { ContentBudget } from './content-cache.ts';
import { bytesOfName, nameOfBase64, nameOfText } from './name-bytes.ts';

export interface BlobOptions {
  /** Root folder of the snapshots. */
  root: string;
  /** The run's `.audit`. */
  audit: string;
  /** Content cache of the snapshot before. */
  cache: string | null;
  /** Finds earlier content that the cache does not have. */
  earlier?: EarlierContents | null;
  budget?: Partial<ContentBudget>;
}

/** Calls `take` with the content of each wanted file that it finds. */
export type EarlierContents = (
  wanted: readonly WantedContent[],
  take: (sha256: string, content: Buffer) => void,
) => Promise<void>;

export interface WantedContent {
  /** Path from the root, as a latin1 string of its bytes. */
  path: string;
  sha256: string;
  size: number;
}

const BLOB_BUDGET: ContentBudget = { bytes: 1_024 ** 3, files: 20_000, largest: 16 * 1_024 ** 2 };
/** Maximum share of the free disk space that one attempt may fill with blobs. */
const DISK_SHARE = 1 / 4;

/**
 * Stores the content of changed files before and after under `blobs/<sha256>`, and returns the diff with their names.
 * Content that is too large, over the budget or gone stays null.
 */
export async function storeBlobs(diff: FsDiff, options: BlobOptions): Promise<FsDiff> {
  const { root, cache, earlier } = options;
  const store = openBlobStore(options);
  const yieldToEventLoop = createYielder();

  // Modified files first: they matter more than created ones, of which there may be a hundred thousand.
  const modified = await withBlobs(diff.modified);
  const deleted = await withBlobs(diff.deleted);
  if (earlier) await keepEarlier(earlier);
  const created = await withBlobs(diff.created);
  return { ...diff, created, modified: modified.map(completed), deleted: deleted.map(completed) };

  async function withBlobs(changes: readonly FsChange[]): Promise<FsChange[]> {
    const result: FsChange[] = [];
    for (const change of changes) {
      // The content after comes first: if only the mode changed, the content before is the same, and may exist nowhere
      // else.
      const after_blob = store.keep(change.after, () => fileOf(root, change));
      const before_blob = store.keep(change.before, (sha256) => cache && path.join(cache, sha256));
      result.push({ ...change, before_blob, after_blob });
      const pause = yieldToEventLoop();
      if (pause) await pause;
    }
    return result;
  }

  async function keepEarlier(find: EarlierContents): Promise<void> {
    const wanted = [...modified, ...deleted].flatMap((change) => {
      const { before, before_blob } = change;
      if (before_blob !== null || !store.accepts(before)) return [];
      return [{ path: nameOf(change), sha256: before.sha256, size: before.size }];
    });
    if (wanted.length > 0) await find(wanted, store.put);
  }

  /** The content may be available by now: found elsewhere, or stored for another file. */
  function completed(change: FsChange): FsChange {
    return change.before_blob === null ? { ...change, before_blob: store.keep(change.before, () => null) } : change;
  }
}

type HashedFile = FsEntry & { type: 'file'; sha256: string };

function openBlobStore({ audit, budget }: BlobOptions) {
  const folder = path.join(audit, BLOBS_FOLDER);
  const { largest, bytes, files } = { ...BLOB_BUDGET, ...budget };
  let bytesLeft = Math.min(bytes, DISK_SHARE * freeBytes(audit));
  let filesLeft = files;

  const accepts = (entry: FsEntry | null): entry is HashedFile =>
    entry?.type === 'file' && entry.sha256 !== null && entry.size <= largest;

  /** The name of the blob with the entry's content, read from `source` unless it exists; null if it is not stored. */
  function keep(entry: FsEntry | null, source: (sha256: string) => string | Buffer | null): string | null {
    if (!accepts(entry)) return null;
    const file = path.join(folder, entry.sha256);
    // It may be from an earlier attempt, or from the program, which could have written anything under that name.
    if (isRegularFile(file) && isContent(read(file), entry.sha256)) return entry.sha256;
    if (filesLeft <= 0 || entry.size > bytesLeft) return null;
    const from = source(entry.sha256);
    const content = from === null ? null : read(from);
    return content !== null && put(entry.sha256, content) ? entry.sha256 : null;
  }

  /** The hash is checked, so wrong content cannot get in. */
  function put(sha256: string, content: Buffer): boolean {
    if (!isContent(content, sha256) || filesLeft <= 0 || content.length > bytesLeft) return false;
    const file = path.join(folder, sha256);
    filesLeft -= 1;
    bytesLeft -= content.length;
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeWhole(file, content);
    } catch (cause) {
      throw writeFailure(file, cause);
    }
    return true;
  }

  /** Null if the file was replaced by something else. */
  function read(file: string | Buffer): Buffer | null {
    try {
      return readRegularBytes(file, { maxBytes: largest });
    } catch {
      return null;
    }
  }

  return { accepts, keep, put };
}

function isContent(content: Buffer | null, sha256: string): boolean {
  return content !== null && hash('sha256', content) === sha256;
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = fs.statfsSync(folder);
  return bavail * bsize;
}

function fileOf(root: string, change: FsChange): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), bytesOfName(nameOf(change))]);
}

function nameOf({ path: text, path_bytes }: FsChange): string {
  return path_bytes === undefined ? nameOfText(text) : nameOfBase64(path_bytes);
}
