import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, readRegularFile } from '../../files/index.ts';

/** The git repository that a folder belongs to. */
export interface GitRepository {
  /** The folder with the index: `.git`, or the folder that a `.git` file points to. */
  gitFolder: string;
  /** The top of the work tree. */
  top: string;
  /** The folder's path from the top of the work tree, with a trailing slash; empty at the top. */
  prefix: string;
}

const MAX_POINTER_BYTES = 4_096 + 16;

/** Searches upwards like git, without running git. */
export function findRepository(folder: string): GitRepository | null {
  let start: string;
  try {
    start = fs.realpathSync(folder);
  } catch {
    return null;
  }
  for (let top = start; ; top = path.dirname(top)) {
    const gitFolder = gitFolderIn(top);
    if (gitFolder !== null) {
      const inside = path.relative(top, start);
      return { gitFolder, top, prefix: inside === '' ? '' : `${inside}/` };
    }
    if (top === path.dirname(top)) return null;
  }
}

function gitFolderIn(top: string): string | null {
  const place = path.join(top, '.git');
  try {
    if (isRegularFile(place)) {
      const pointer = /^gitdir: (.+)\n?$/.exec(readRegularFile(place, { maxBytes: MAX_POINTER_BYTES }))?.[1];
      return pointer === undefined ? null : asGitFolder(path.resolve(top, pointer));
    }
    return asGitFolder(place);
  } catch {
    return null;
  }
}

/** A `.git` folder without a HEAD is not a repository. */
function asGitFolder(place: string): string | null {
  return fs.lstatSync(path.join(place, 'HEAD'), { throwIfNoEntry: false }) ? place : null;
}
