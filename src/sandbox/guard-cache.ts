import fs from 'node:fs';
import path from 'node:path';
import { inspectFolder, type Notable } from './guarded-paths.ts';

/** What to guard below a folder, and how it was found. */
export interface GuardedTree {
  /** Never shown: every `.tacho`, and data folders. */
  hidden: string[];
  /** Each `.git`, and each bare repository. */
  repositories: string[];
  folders: number;
  /** False if there were too many folders to search them all. */
  complete: boolean;
}

interface Known {
  /** Paths of the folders to search below. */
  below: string[];
  notable: Notable;
  inode: bigint;
  changed: bigint;
  /** A later change is certain to give the folder another time. */
  settled: boolean;
}

export const MAX_FOLDERS = 20_000;
/** Times of files advance in steps: of milliseconds on most disks, of seconds on some. */
const TIME_STEP_MS = 2000;

/**
 * Finds what to guard in a workspace, before every command. A folder is read again only if it has changed: adding or
 * renaming an entry gives its folder a new change time, which a program cannot set back, unlike the modification time.
 * So a search without news takes one `stat` per folder, and still finds a repository that was made a moment ago.
 */
export class GuardCache {
  readonly #root: string;
  readonly #maxFolders: number;
  #known = new Map<string, Known>();
  /** How many folders the last search had to read. */
  reads = 0;

  constructor(root: string, maxFolders = MAX_FOLDERS) {
    this.#root = root;
    this.#maxFolders = maxFolders;
  }

  find(): GuardedTree {
    const known = new Map<string, Known>();
    const found: GuardedTree = { hidden: [], repositories: [], folders: 0, complete: true };
    this.reads = 0;
    const pending = [this.#root];
    for (let at = 0; at < pending.length; at++) {
      const folder = pending[at]!;
      if (at >= this.#maxFolders) {
        found.complete = false;
        break;
      }
      const inspected = this.#look(folder);
      if (!inspected) continue;
      known.set(folder, inspected);
      for (const inner of inspected.below) pending.push(inner);
      const { tacho, data, repository } = inspected.notable;
      if (tacho) found.hidden.push(path.join(folder, '.tacho'));
      if (data) found.hidden.push(folder);
      if (repository !== null) found.repositories.push(repository);
    }
    found.folders = known.size;
    this.#known = known;
    return found;
  }

  #look(folder: string): Known | null {
    const stat = fs.lstatSync(folder, { bigint: true, throwIfNoEntry: false });
    if (!stat?.isDirectory()) return null;
    const known = this.#known.get(folder);
    if (known?.settled && known.inode === stat.ino && known.changed === stat.ctimeNs) return known;
    this.reads++;
    // Read after the time was taken: a change in between is found by the next search.
    const age = Date.now() - Number(stat.ctimeMs);
    const { below, notable } = inspectFolder(folder);
    return {
      below: below.map((name) => path.join(folder, name)),
      notable,
      inode: stat.ino,
      changed: stat.ctimeNs,
      settled: age > TIME_STEP_MS,
    };
  }
}
