import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { EngineProfile, SessionFormat } from '../../engines/index.ts';
import { errnoOf } from '../../files/index.ts';

/** Where an engine keeps the files of its sessions. */
export interface SessionFolder {
  profile: EngineProfile;
  format: SessionFormat;
  root: string;
}

/** Null for an engine whose session files tacho cannot read, or cannot find by itself. */
export function sessionFolderOf(profile: EngineProfile, env: NodeJS.ProcessEnv): SessionFolder | null {
  const { sessions: format } = profile;
  if (!format || format.folder === null) return null;
  const moved = format.movedBy && env[format.movedBy.variable];
  const root = moved ? path.join(moved, format.movedBy!.folder) : path.join(os.homedir(), format.folder);
  return { profile, format, root: path.resolve(root) };
}

/** A file with a version of its content. */
export interface FoundFile {
  path: string;
  /** Changes whenever the file is written or replaced. */
  stamp: string;
  mtimeMs: number;
}

export interface Listing {
  files: FoundFile[];
  folders: string[];
  /** Links, pipes and the like with the name of a session file, and links to folders: never opened. */
  refused: string[];
}

/** The session files and folders directly in a folder; empty if it does not exist. */
export function listSessions(folder: string, { name }: SessionFormat): Listing {
  const listing: Listing = { files: [], folders: [], refused: [] };
  for (const entry of entriesOf(folder)) {
    const place = path.join(folder, entry.name);
    if (entry.isDirectory()) listing.folders.push(place);
    else if (entry.isFile()) {
      const found = name.test(entry.name) ? stampOf(place) : null;
      if (found) listing.files.push(found);
    } else if (entry.isSymbolicLink() || name.test(entry.name)) listing.refused.push(place);
  }
  return listing;
}

/** Null when it is gone, or something else by now. */
export function stampOf(file: string): FoundFile | null {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  if (!stat?.isFile()) return null;
  return { path: file, stamp: `${stat.ino}.${stat.mtimeNs}.${stat.size}`, mtimeMs: Number(stat.mtimeMs) };
}

function entriesOf(folder: string): fs.Dirent[] {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
