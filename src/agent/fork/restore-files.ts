import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../files/index.ts';
import type { FileVersion } from '../state/state.ts';
import type { Vault } from '../wal/index.ts';
import { copyWorkspace } from './copy-workspace.ts';
import type { FilesAtEvent } from './files-at.ts';
import type { NotRestored } from './fork-run.ts';

export interface RestoreRequest {
  from: string;
  to: string;
  files: FilesAtEvent;
  vault: Pick<Vault, 'pieces'>;
}

export interface RestoredFiles {
  restored: number;
  notRestored: NotRestored[];
}

const DEFAULT_MODE = 0o644;

/** Fills a folder with the workspace as it is now, except for what the run has changed: that is as it was at the event. */
export async function restoreFiles({ from, to, files, vault }: RestoreRequest): Promise<RestoredFiles> {
  const { versions, unknown } = files;
  const { notCopied, folderModes } = await copyWorkspace({
    from,
    to,
    skip: ({ path: name, type }) => {
      const version = versions.get(name);
      if (!version || version.lost !== undefined) return false;
      return !(type === 'folder' && version.type === 'folder' && version.key !== null);
    },
  });
  const notRestored = [...notCopied];
  let restored = 0;
  // Parents before children.
  for (const [name, version] of [...versions].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (version.lost !== undefined) {
      const now = files.isChangedLater(name)
        ? 'it was changed later and is copied as it is now'
        : 'it is copied as it is now';
      notRestored.push({ path: name, reason: `${version.lost}; ${now}` });
      continue;
    }
    restored++;
    if (version.key === null) continue;
    const problem = restoreEntry({ to, name, version, vault, folderModes });
    if (problem === null) continue;
    restored--;
    notRestored.push({ path: name, reason: problem });
  }
  // Children first: their folders may become inaccessible.
  for (const [name, mode] of [...folderModes].sort(([one], [other]) => (one < other ? 1 : -1))) {
    fs.chmodSync(path.join(to, name), mode);
  }
  return { restored, notRestored: [...notRestored, ...unknown] };
}

interface EntryRequest {
  to: string;
  name: string;
  version: FileVersion;
  vault: Pick<Vault, 'pieces'>;
  folderModes: Map<string, number>;
}

/** Why it could not be restored, or null. */
function restoreEntry({ to, name, version, vault, folderModes }: EntryRequest): string | null {
  const { key, type, mode } = version;
  const target = path.join(to, name);
  if (!isPlain(name)) return 'its name is not one of a file of the workspace';
  if (!makeParents(to, name)) return 'a link or a file is in the place of its folder';
  try {
    switch (type) {
      case 'folder':
        if (!fs.lstatSync(target, { throwIfNoEntry: false })?.isDirectory()) fs.mkdirSync(target, { mode: 0o700 });
        folderModes.set(name, mode ?? 0o755);
        return null;
      case 'link':
        fs.symlinkSync(Buffer.concat([...vault.pieces(key!)]), target);
        return null;
      case 'file':
        writeFile(target, vault.pieces(key!), mode ?? DEFAULT_MODE);
        return null;
    }
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined || errno === 'ENOSPC' || errno === 'EDQUOT') throw error;
    return `it could not be written (${errno})`;
  }
}

function writeFile(target: string, pieces: Iterable<Buffer>, mode: number): void {
  const fd = fs.openSync(target, 'wx', 0o600);
  try {
    for (const piece of pieces) {
      for (let written = 0; written < piece.length; ) written += fs.writeSync(fd, piece, written);
    }
    fs.fchmodSync(fd, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** A log is not trusted to name places outside, though nobody else can write it. */
function isPlain(name: string): boolean {
  const parts = name.split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.tacho');
}

/** Never through a link. */
function makeParents(to: string, name: string): boolean {
  let folder = to;
  for (const part of name.split('/').slice(0, -1)) {
    folder = path.join(folder, part);
    const found = fs.lstatSync(folder, { throwIfNoEntry: false });
    if (!found) fs.mkdirSync(folder);
    else if (!found.isDirectory()) return false;
  }
  return true;
}
