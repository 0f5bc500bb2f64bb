import fs from 'node:fs';
import path from 'node:path';
import { OBEYED_BY_GIT, OBEYED_FILES } from '../protocol/obeyed-files.ts';

/** Maximum number of folders to search below one that is shown. */
const MAX_FOLDERS = 2000;
const NOT_SEARCHED = new Set(['.git', '.tacho', 'node_modules']);

export interface Guarded {
  /** Runtimes with their secrets, and data folders: never shown. */
  hidden: string[];
  /** Never writable. */
  fixed: string[];
}

/** The paths to guard in a folder that is shown; only those that exist now. */
export function findGuarded(root: string): Guarded {
  const hidden: string[] = [];
  const fixed = obeyedIn(root);
  const pending = [root];
  for (let count = 0; count < MAX_FOLDERS && pending.length > 0; count++) {
    const folder = pending.shift()!;
    const { below, notable } = inspectFolder(folder);
    for (const name of below) pending.push(path.join(folder, name));
    if (notable.tacho) hidden.push(path.join(folder, '.tacho', 'runtime'));
    if (notable.data) hidden.push(folder);
    if (notable.repository !== null) fixed.push(...guardRepository(notable.repository));
  }
  return { hidden, fixed };
}

/** Files in a folder that programs obey when they work there, whether they exist or not. */
export function obeyedIn(root: string): string[] {
  return OBEYED_FILES.map((name) => path.join(root, name));
}

/** What a folder holds that has to be guarded, and the names of the folders to search below it. */
export interface Inspected {
  below: string[];
  notable: Notable;
}

export interface Notable {
  /** There is a `.tacho`. */
  tacho: boolean;
  /** It is a data folder, with keys. */
  data: boolean;
  /** A repository, or the file that refers to one. */
  repository: string | null;
}

export function inspectFolder(folder: string): Inspected {
  const names = new Set<string>();
  const below: string[] = [];
  for (const entry of readFolder(folder)) {
    names.add(entry.name);
    if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) below.push(entry.name);
  }
  return {
    below,
    notable: {
      tacho: names.has('.tacho'),
      data: names.has('keys') && fs.existsSync(path.join(folder, 'keys', 'seal.ed25519.pem')),
      repository: names.has('.git') ? path.join(folder, '.git') : isBareRepository(names) ? folder : null,
    },
  };
}

/** The files of a repository to guard; a `.git` file holds the path of the repository. */
export function guardRepository(git: string): string[] {
  const isFolder = fs.lstatSync(git, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? OBEYED_BY_GIT.map((name) => path.join(git, name)) : [git];
}

/** Git also works in a folder that looks like this, without a `.git`. */
function isBareRepository(names: ReadonlySet<string>): boolean {
  return names.has('HEAD') && names.has('objects') && names.has('refs');
}

function readFolder(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not readable.
  }
}
