import fs from 'node:fs';
import path from 'node:path';
import { descriptorPath, errnoOf, isBelow, openRegularFile } from '../../files/index.ts';
import type { NotRestored } from './fork-run.ts';
import { walkWorkspace } from './walk-workspace.ts';

export interface CopyRequest {
  from: string;
  /** An empty folder, or one that has nothing with the same names. */
  to: string;
  /** Leaves out an entry, and everything below it. */
  skip(entry: { path: string; type: string }): boolean;
}

export interface CopiedWorkspace {
  notCopied: NotRestored[];
  /** Folders get their modes last: a folder without write permission could not be filled. */
  folderModes: Map<string, number>;
}

/** Copies files, folders and links as they are, with modes and times. Names what is none of these or cannot be read. */
export async function copyWorkspace({ from, to, skip }: CopyRequest): Promise<CopiedWorkspace> {
  const notCopied: NotRestored[] = [];
  const folderModes = new Map<string, number>();
  const skipped = new Set<string>();
  const refuse = (name: string, reason: string) => notCopied.push({ path: name, reason });
  await walkWorkspace(from, {
    visit: (entry) => {
      const { path: name, type, stat, place } = entry;
      if (skipped.has(path.dirname(name)) || skip(entry)) {
        skipped.add(name);
        return undefined;
      }
      const target = path.join(to, name);
      try {
        switch (type) {
          case 'folder':
            fs.mkdirSync(target, { mode: 0o700 });
            folderModes.set(name, Number(stat.mode) & 0o7777);
            return undefined;
          case 'link': {
            const link = fs.readlinkSync(place);
            fs.symlinkSync(link, target);
            if (path.isAbsolute(link) && isBelow(path.normalize(link), from)) {
              refuse(name, `it is a link to ${link}, in the workspace of the other run`);
            }
            return undefined;
          }
          case 'file':
            return copyFile(place, target, stat).catch((error) => refuse(name, reasonOf(error)));
          case 'other':
            refuse(name, 'it is not a regular file');
        }
      } catch (error) {
        refuse(name, reasonOf(error));
      }
      return undefined;
    },
    onProblem: (name, reason) => refuse(name === '' ? '.' : name, reason),
  });
  return { notCopied, folderModes };
}

async function copyFile(place: string, target: string, { atime, mtime }: fs.BigIntStats): Promise<void> {
  const fd = openRegularFile(place);
  try {
    await fs.promises.copyFile(descriptorPath(fd), target, fs.constants.COPYFILE_EXCL | fs.constants.COPYFILE_FICLONE);
    await fs.promises.utimes(target, atime, mtime);
  } finally {
    fs.closeSync(fd);
  }
}

function reasonOf(error: unknown): string {
  const errno = errnoOf(error);
  // A full disk is not a property of the file.
  if (errno === undefined || errno === 'ENOSPC' || errno === 'EDQUOT') throw error;
  return `it could not be copied (${errno})`;
}
