import fs from 'node:fs';
import path from 'node:path';
import { createYielder, descriptorPath, errnoOf } from '../../files/index.ts';
import type { Found, Workspace } from './place.ts';

/** A descriptor is open for each level. */
const MAX_DEPTH = 64;

export interface WalkOptions {
  /** 1: only what the folder itself holds. */
  maxDepth?: number;
  /** Leaves out an entry, and everything below it. */
  skip?: (entry: WalkedEntry) => boolean;
  signal?: AbortSignal;
}

export interface WalkedEntry {
  /** Below the workspace. */
  path: string;
  name: string;
  type: 'file' | 'folder' | 'link' | 'other';
  /** From 1. */
  depth: number;
}

/** Everything below a folder that was found; closes it. A folder that cannot be opened is like an empty one. */
export async function* walkFolder(
  workspace: Workspace,
  folder: Found,
  {
    maxDepth = MAX_DEPTH,
    skip = () => false,
    signal,
    mayRead,
  }: WalkOptions & { mayRead: (relative: string) => boolean },
): AsyncGenerator<WalkedEntry> {
  const pause = createYielder(signal);
  const levels = [{ folder, entries: entriesOf(folder.fd), next: 0 }];
  try {
    while (levels.length > 0) {
      const level = levels.at(-1)!;
      const dirent = level.entries[level.next++];
      if (dirent === undefined) {
        fs.closeSync(levels.pop()!.folder.fd);
        continue;
      }
      await pause();
      const relative = path.join(level.folder.relative, dirent.name);
      const entry: WalkedEntry = { path: relative, name: dirent.name, type: typeOf(dirent), depth: levels.length };
      if (!mayRead(relative) || skip(entry)) continue;
      yield entry;
      if (entry.type !== 'folder' || levels.length >= Math.min(maxDepth, MAX_DEPTH)) continue;
      const fd = openInner(workspace, level.folder.fd, dirent.name);
      if (fd !== null) levels.push({ folder: { fd, relative }, entries: entriesOf(fd), next: 0 });
    }
  } finally {
    for (const level of levels) fs.closeSync(level.folder.fd);
  }
}

/** It may have been removed or replaced meanwhile. */
function openInner(workspace: Workspace, folder: number, name: string): number | null {
  try {
    return workspace.openFolder(folder, name);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null;
  }
}

function entriesOf(folder: number): fs.Dirent[] {
  try {
    const entries = fs.readdirSync(descriptorPath(folder), { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}

function typeOf(entry: fs.Dirent): WalkedEntry['type'] {
  return entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
}
