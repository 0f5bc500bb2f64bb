import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readRegularFile, writeWhole } from '../../files/index.ts';
import { isText } from './text-detection.ts';

/** Larger files are not shown as a diff, whatever is configured, so their content is not kept. */
export const KEPT_FILE_BYTES = 256 * 1_024;

/** How much one snapshot may add to the cache, and one attempt may keep. */
export interface ContentBudget {
  bytes: number;
  files: number;
  /** Files above this size are not kept. */
  largest: number;
}

export const DEFAULT_BUDGET: ContentBudget = { bytes: 64 * 1_024 * 1_024, files: 20_000, largest: KEPT_FILE_BYTES };

/** A run waits for its first snapshot, so filling the cache may also take only so long; the next run goes on with it. */
const WRITING_MS = 2_000;

const GENERATION_FILE = 'generation';

/**
 * The text files of workspaces by their sha256, outside of any run: what a file held before a program changed it exists
 * nowhere else afterwards. It is filled while files are hashed anyway, and is only ever a convenience: what it cannot
 * keep shows as "changed" instead of as a diff.
 */
export interface ContentCache {
  readonly folder: string;
  /** Changes whenever something is pruned; until then what was kept is still there. */
  readonly generation: string;
  readonly largest: number;
  has(sha256: string): boolean;
  /** False when the content should have been kept and the budget did not allow it. */
  offer(sha256: string, bytes: Uint8Array): boolean;
  readonly exhausted: boolean;
}

/** Opens the cache for one snapshot. */
export function openContentCache(folder: string, budget: Partial<ContentBudget> = {}): ContentCache {
  const { largest, ...limits } = { ...DEFAULT_BUDGET, ...budget };
  let { bytes: bytesLeft, files: filesLeft } = limits;
  let millisecondsLeft = WRITING_MS;
  const generation = readGeneration(folder);
  if (generation === null) filesLeft = 0;
  return {
    folder,
    generation: generation ?? '',
    largest,
    has: (sha256) => fs.existsSync(path.join(folder, sha256)),
    get exhausted() {
      return filesLeft <= 0 || bytesLeft <= 0;
    },
    offer(sha256, bytes) {
      if (bytes.length > largest || !isText(bytes)) return true;
      const file = path.join(folder, sha256);
      if (fs.existsSync(file)) return true;
      if (filesLeft <= 0 || bytes.length > bytesLeft) return false;
      filesLeft -= 1;
      bytesLeft -= bytes.length;
      const start = performance.now();
      try {
        writeWhole(file, bytes);
        millisecondsLeft -= performance.now() - start;
        if (millisecondsLeft <= 0) filesLeft = 0;
        return true;
      } catch {
        // A full or read-only disk must not cost the snapshot.
        filesLeft = 0;
        return false;
      }
    },
  };
}

/** Removes the contents not written for the longest time until at most `maxBytes` are left. */
export function pruneContentCache(folder: string, maxBytes: number): { removed: number; bytes: number } {
  const contents = listContents(folder).sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = 0;
  let kept = 0;
  while (kept < contents.length && bytes + contents[kept]!.size <= maxBytes) bytes += contents[kept++]!.size;
  const excess = contents.slice(kept);
  // First, so that no snapshot taken from here on relies on what is about to go.
  if (excess.length > 0) writeWhole(path.join(folder, GENERATION_FILE), newGeneration());
  for (const { file } of excess) fs.rmSync(file, { force: true });
  return { removed: excess.length, bytes };
}

function listContents(folder: string): { file: string; size: number; mtimeMs: number }[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return [];
  }
  const contents = [];
  for (const name of names) {
    if (name === GENERATION_FILE) continue;
    const file = path.join(folder, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat?.isFile()) contents.push({ file, size: stat.size, mtimeMs: stat.mtimeMs });
  }
  return contents;
}

function newGeneration(): Buffer {
  return Buffer.from(randomBytes(8).toString('hex'));
}

function readGeneration(folder: string): string | null {
  const file = path.join(folder, GENERATION_FILE);
  try {
    if (!fs.existsSync(file)) {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeWhole(file, newGeneration());
    }
    return readRegularFile(file);
  } catch {
    return null;
  }
}
