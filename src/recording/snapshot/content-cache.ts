import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { readRegularFile, writeWhole } from '../../files/index.ts';
import { addUsage, setUsage, USAGE_FILE } from './cache-usage.ts';

/** How much one snapshot may add to the cache, or one attempt may store. */
export interface ContentBudget {
  bytes: number;
  files: number;
  /** Larger files are not stored. */
  largest: number;
}

const CACHE_BUDGET: ContentBudget = { bytes: 64 * 1_024 * 1_024, files: 20_000, largest: 16 * 1_024 * 1_024 };

/** Larger files have a separate budget, so that a few of them do not displace thousands of small ones. */
const SMALL_BYTES = 256 * 1_024;

/** A run waits for its first snapshot, so writing to the cache also has a time limit; the next snapshot continues. */
const MAX_WRITING_MS = 250;
/** Written in any case: a small workspace is kept whole, however slow the disk is. */
const FEW_FILES = 100;

/** Pruning continues to this share of the limit, so that it is not needed again after the next run. */
const KEPT_SHARE = 3 / 4;

const GENERATION_FILE = 'generation';

/**
 * Contents of workspace files by their sha256, outside of any run: after a program changed a file, its earlier content
 * exists nowhere else unless git has it. The cache is filled while files are hashed, and is optional: without a stored
 * content, a change is reported without the content before.
 */
export interface ContentCache {
  readonly folder: string;
  /** Changes whenever something is pruned; as long as it is the same, stored content still exists. */
  readonly generation: string;
  readonly largest: number;
  has(sha256: string): boolean;
  /** Whether the content is available elsewhere, so that it need not be stored here. */
  isElsewhere(path: string, stat: Uint32Array): boolean;
  /** Whether the budget allows a file of this size. */
  accepts(size: number): boolean;
  /** False if the budget or the disk did not allow it. */
  offer(sha256: string, bytes: Uint8Array): boolean;
  readonly exhausted: boolean;
  /** Bytes stored so far. */
  readonly added: number;
}

export interface CacheOptions extends Partial<ContentBudget> {
  /** Another source of contents, queried by the path from the root and the state of the file. */
  isElsewhere?: ContentCache['isElsewhere'] | undefined;
}

/** Opens the cache for one snapshot. */
export function openContentCache(folder: string, options: CacheOptions = {}): ContentCache {
  const { largest, bytes, files, isElsewhere = () => false } = { ...CACHE_BUDGET, ...options };
  const bytesLeft = { small: bytes, large: bytes };
  let filesLeft = files;
  let millisecondsLeft = MAX_WRITING_MS;
  let added = 0;
  const generation = readGeneration(folder);
  if (generation === null) filesLeft = 0;
  const kindOf = (size: number) => (size <= SMALL_BYTES ? 'small' : 'large');
  const accepts = (size: number) => size <= largest && filesLeft > 0 && size <= bytesLeft[kindOf(size)];
  return {
    folder,
    generation: generation ?? '',
    largest,
    has: (sha256) => fs.existsSync(path.join(folder, sha256)),
    isElsewhere,
    accepts,
    get exhausted() {
      return filesLeft <= 0 || bytesLeft.small <= 0;
    },
    get added() {
      return added;
    },
    offer(sha256, bytes) {
      const file = path.join(folder, sha256);
      if (fs.existsSync(file)) return true;
      if (!accepts(bytes.length)) return false;
      filesLeft -= 1;
      bytesLeft[kindOf(bytes.length)] -= bytes.length;
      const start = performance.now();
      try {
        writeWhole(file, bytes);
        added += bytes.length;
        millisecondsLeft -= performance.now() - start;
        if (millisecondsLeft <= 0 && files - filesLeft >= FEW_FILES) filesLeft = 0;
        return true;
      } catch {
        // A full or read-only disk must not make the snapshot fail.
        filesLeft = 0;
        return false;
      }
    },
  };
}

/** After something was added: if there are more than `maxBytes`, removes the least recently written contents. */
export function pruneContentCache({ folder, added }: Pick<ContentCache, 'folder' | 'added'>, maxBytes: number): void {
  if (added === 0) return;
  const total = addUsage(folder, added);
  if (total !== null && total <= maxBytes) return;
  const contents = listContents(folder).sort((a, b) => b.mtimeMs - a.mtimeMs);
  let bytes = contents.reduce((sum, { size }) => sum + size, 0);
  if (bytes > maxBytes) bytes = removeExcess(folder, contents, maxBytes);
  setUsage(folder, bytes);
}

/** Returns the size of the rest. `contents` begins with the newest. */
function removeExcess(folder: string, contents: readonly Content[], maxBytes: number): number {
  let bytes = 0;
  let kept = 0;
  while (kept < contents.length && bytes + contents[kept]!.size <= KEPT_SHARE * maxBytes)
    bytes += contents[kept++]!.size;
  // First, so that no new snapshot relies on contents that are about to be removed.
  writeWhole(path.join(folder, GENERATION_FILE), newGeneration());
  for (const { file } of contents.slice(kept)) fs.rmSync(file, { force: true });
  return bytes;
}

interface Content {
  file: string;
  size: number;
  mtimeMs: number;
}

function listContents(folder: string): Content[] {
  let names: string[];
  try {
    names = fs.readdirSync(folder);
  } catch {
    return [];
  }
  const contents = [];
  for (const name of names) {
    if (name === GENERATION_FILE || name === USAGE_FILE) continue;
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
