import fs from 'node:fs';
import path from 'node:path';
import { createYielder, descriptorPath, errnoOf } from '../../files/index.ts';
import { isPlaceholderEntry } from '../../sandbox/placeholders.ts';

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

/** Logs, vaults and settings of tacho are not files of a run. */
const OWN_FOLDER = '.tacho';
/** They are large and can be made again, so that everything else comes first. */
const LATE_FOLDERS: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** Each folder is opened by its whole path, one name after the other. */
const MAX_DEPTH = 64;

export interface SeenEntry {
  /** Below the workspace. */
  path: string;
  type: 'file' | 'link' | 'folder' | 'other';
  stat: fs.BigIntStats;
  /** A path to it through its open folder, which counts until `visit` has returned. */
  place: string;
}

export interface WalkRequest {
  maxEntries?: number | undefined;
  visit(entry: SeenEntry): unknown;
  onProblem?: ((path: string, reason: string) => void) | undefined;
}

export interface Walked {
  /** Folders all of whose entries were seen; '' is the workspace. */
  listed: Set<string>;
  /** The limit was reached. */
  isCut: boolean;
}

/**
 * Everything in a workspace except tacho's own, folder by folder, the outermost first. Follows no link, opens no file,
 * and takes whatever vanishes or cannot be read meanwhile as it is.
 */
export async function walkWorkspace(
  root: string,
  { maxEntries = Number.POSITIVE_INFINITY, visit, onProblem = () => {} }: WalkRequest,
): Promise<Walked> {
  const pause = createYielder();
  const listed = new Set<string>();
  const rootFd = fs.openSync(root, O_RDONLY | O_DIRECTORY);
  const folders = [''];
  const late: string[] = [];
  let left = maxEntries;
  let isCut = false;
  try {
    for (let next = 0; (next < folders.length || late.length > 0) && !isCut; next++) {
      if (next >= folders.length) folders.push(...late.splice(0));
      await walkFolder(folders[next]!);
    }
  } finally {
    fs.closeSync(rootFd);
  }
  return { listed, isCut };

  async function walkFolder(folder: string): Promise<void> {
    let fd: number | null = null;
    if (folder.split('/').length > MAX_DEPTH) {
      onProblem(folder, `it is nested more than ${MAX_DEPTH} folders deep`);
      return;
    }
    try {
      fd = openFolderInside(rootFd, folder);
      for (const name of namesIn(fd)) {
        if (name.toLowerCase() === OWN_FOLDER) continue;
        if (left-- <= 0) {
          isCut = true;
          return;
        }
        const entry = look(fd, folder, name);
        // What a sandbox that is still open made is not a change of the workspace.
        if (!entry || isPlaceholderEntry(entry.path, entry.stat)) continue;
        if (entry.type === 'folder') (LATE_FOLDERS.has(name) ? late : folders).push(entry.path);
        const visited = visit(entry);
        if (visited instanceof Promise) await visited;
        const paused = pause();
        if (paused) await paused;
      }
      listed.add(folder);
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      onProblem(folder, `the folder could not be read (${errnoOf(error)})`);
    } finally {
      if (fd !== null) fs.closeSync(fd);
    }
  }

  function look(fd: number, folder: string, name: string): SeenEntry | null {
    const relative = path.join(folder, name);
    const place = descriptorPath(fd, name);
    const stat = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false });
    if (stat) return { path: relative, type: typeOf(stat), stat, place };
    if (name.includes('\ufffd')) onProblem(relative, 'its name is not valid UTF-8');
    return null;
  }
}

/** A folder of this size may have more entries than anybody wants to have in memory. */
const LARGE_FOLDER_BYTES = 1024 * 1024;

/** Reading names one by one takes ten times as long as reading all of them. */
function* namesIn(folder: number): Generator<string, void, undefined> {
  if (fs.fstatSync(folder).size <= LARGE_FOLDER_BYTES) {
    yield* fs.readdirSync(descriptorPath(folder));
    return;
  }
  const entries = fs.opendirSync(descriptorPath(folder), { bufferSize: 1024 });
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) yield entry.name;
  } finally {
    entries.closeSync();
  }
}

/** A folder of the workspace, if no part of its name is a link. The caller closes it. */
export function openFolderInside(root: number, folder: string): number {
  let fd = fs.openSync(descriptorPath(root), O_RDONLY | O_DIRECTORY);
  for (const part of folder === '' ? [] : folder.split('/')) {
    const outer = fd;
    try {
      fd = fs.openSync(descriptorPath(outer, part), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    } finally {
      fs.closeSync(outer);
    }
  }
  return fd;
}

/** One entry, if no folder on the way to it is a link; null if there is none. */
export function withEntry<T>(root: string, name: string, use: (entry: SeenEntry | null) => T): T {
  let rootFd: number | null = null;
  let folder: number | null = null;
  try {
    try {
      rootFd = fs.openSync(root, O_RDONLY | O_DIRECTORY);
      folder = openFolderInside(rootFd, path.dirname(name) === '.' ? '' : path.dirname(name));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return use(null);
    }
    const place = descriptorPath(folder, path.basename(name));
    const stat = fs.lstatSync(place, { bigint: true, throwIfNoEntry: false });
    return use(stat ? { path: name, type: typeOf(stat), stat, place } : null);
  } finally {
    if (folder !== null) fs.closeSync(folder);
    if (rootFd !== null) fs.closeSync(rootFd);
  }
}

function typeOf(stat: fs.BigIntStats): SeenEntry['type'] {
  return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : stat.isSymbolicLink() ? 'link' : 'other';
}
