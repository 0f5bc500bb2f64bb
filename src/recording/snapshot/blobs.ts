import { hash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularBytes, writeWhole } from '../../files/index.ts';
import { BLOBS_FOLDER, type FsChange, type FsDiff, type FsEntry } from '../../protocol/index.ts';
import { writeFailure } from '../attempt-file.ts';
import { createBreathing } from './breathing.ts';
import { type ContentBudget, DEFAULT_BUDGET, KEPT_FILE_BYTES } from './content-cache.ts';
import { isText } from './text-detection.ts';

export interface BlobOptions {
  /** Folder the snapshots were taken of. */
  root: string;
  /** The run's `.audit`. */
  audit: string;
  /** Folder of the content cache that the snapshot before was taken with. */
  cache: string | null;
  budget?: Partial<ContentBudget>;
}

/**
 * Keeps what changed text files held before and after, under `blobs/<sha256>`, and returns the diff that names them. What
 * was too large, not text, over the budget or no longer there stays null.
 */
export async function storeBlobs(diff: FsDiff, options: BlobOptions): Promise<FsDiff> {
  const { root, audit, cache } = options;
  const budget = { ...DEFAULT_BUDGET, ...options.budget };
  const folder = path.join(audit, BLOBS_FOLDER);
  const breathe = createBreathing();
  let { bytes: bytesLeft, files: filesLeft } = budget;

  // What a program changed says more than what it created, of which there may be a hundred thousand.
  const modified = await withBlobs(diff.modified);
  const deleted = await withBlobs(diff.deleted);
  const created = await withBlobs(diff.created);
  return { ...diff, created, modified, deleted };

  async function withBlobs(changes: readonly FsChange[]): Promise<FsChange[]> {
    const result: FsChange[] = [];
    for (const change of changes) {
      const before_blob = keep(change.before, (sha256) => (cache ? readFile(path.join(cache, sha256)) : null));
      const after_blob = keep(change.after, () => readFile(fileOf(root, change)));
      result.push({ ...change, before_blob, after_blob });
      const pause = breathe();
      if (pause) await pause;
    }
    return result;
  }

  function keep(entry: FsEntry | null, read: (sha256: string) => Buffer | null): string | null {
    if (entry?.type !== 'file' || entry.sha256 === null || entry.size > budget.largest) return null;
    const file = path.join(folder, entry.sha256);
    // Of an earlier attempt, or by the program, which may have put anything under the name.
    if (isRegularFile(file) && hashOf(file) === entry.sha256) return entry.sha256;
    if (filesLeft <= 0 || entry.size > bytesLeft) return null;
    const content = read(entry.sha256);
    // The name is the hash, so content from elsewhere or from another moment cannot get in.
    if (content === null || hash('sha256', content) !== entry.sha256 || !isText(content)) return null;
    filesLeft -= 1;
    bytesLeft -= content.length;
    try {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeWhole(file, content);
    } catch (cause) {
      throw writeFailure(file, cause);
    }
    return entry.sha256;
  }
}

function fileOf(root: string, change: FsChange): Buffer {
  const name = change.path_bytes === undefined ? Buffer.from(change.path) : Buffer.from(change.path_bytes, 'base64');
  return Buffer.concat([Buffer.from(`${root}/`), name]);
}

function hashOf(file: string): string | null {
  const content = readFile(file);
  return content && hash('sha256', content);
}

/** Null when something else took the file's place. */
function readFile(file: string | Buffer): Buffer | null {
  try {
    return readRegularBytes(file, { maxBytes: KEPT_FILE_BYTES });
  } catch {
    return null;
  }
}
