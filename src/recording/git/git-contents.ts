import fs from 'node:fs';
import path from 'node:path';
import { isRegularFile, openRegularFile, readAt, readRegularFile } from '../../files/index.ts';
import type { EarlierContents, WantedContent } from '../snapshot/blobs.ts';
import { nameOfText } from '../snapshot/name-bytes.ts';
import { mtimeOf, sizeOf } from '../snapshot/stat-words.ts';
import { type IndexEntry, indexEntries } from './index-entries.ts';
import { readObjects } from './read-objects.ts';
import { findRepository, type GitRepository } from './repository.ts';

const MAX_INDEX_BYTES = 256 * 1024 * 1024;
const MAX_ATTRIBUTES_BYTES = 1024 * 1024;
/** Attributes that make a file in the work tree differ from its object. */
const CONVERTING = /\b(filter=|eol=|text|crlf|ident|working-tree-encoding=)/;

/** The contents of workspace files that git has, according to its index at the time of opening. */
export interface GitContents {
  /** Whether git has the content of this file, according to its index. */
  has(path: string, stat: Uint32Array): boolean;
  find: EarlierContents;
  close(): void;
}

/** Null if there is no repository. */
export function openGitContents(root: string): GitContents | null {
  const repository = findRepository(root);
  if (repository === null) return null;
  let fd: number;
  try {
    // Git replaces the file, so the descriptor keeps the current index even if the program commits.
    fd = openRegularFile(path.join(repository.gitFolder, 'index'));
  } catch {
    return null;
  }
  const prefix = nameOfText(repository.prefix);
  let parsed: Map<string, IndexEntry> | null = null;
  const entries = () => {
    parsed ??= readIndex(fd);
    return parsed;
  };
  const indexMtime = fs.fstatSync(fd).mtimeMs;
  let isConverted: boolean | null = null;

  return {
    has(file, stat) {
      isConverted ??= hasConversions(repository);
      if (isConverted) return false;
      const entry = entries().get(prefix + file);
      if (entry === undefined || entry.size !== sizeOf(stat, 0)) return false;
      // A file written in the same moment as the index may have been changed since.
      if (entry.mtimeSeconds * 1_000 + entry.mtimeNanoseconds / 1_000_000 >= indexMtime) return false;
      return `${entry.mtimeSeconds}${String(entry.mtimeNanoseconds).padStart(9, '0')}` === mtimeOf(stat, 0);
    },
    async find(wanted, take) {
      const known = wanted.flatMap((content) => {
        const oid = entries().get(prefix + content.path)?.oid;
        return oid === undefined ? [] : [{ ...content, oid }];
      });
      if (known.length === 0) return;
      await readObjects(repository.gitFolder, known, (index, bytes) =>
        take((known[index] as WantedContent).sha256, bytes),
      );
    },
    close: () => fs.closeSync(fd),
  };
}

function readIndex(fd: number): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  const { size } = fs.fstatSync(fd);
  if (size > MAX_INDEX_BYTES) return entries;
  for (const entry of indexEntries(readAt(fd, 0, size))) entries.set(entry.path, entry);
  return entries;
}

/** Whether files may be converted between the work tree and their objects, for example by Git LFS. */
function hasConversions({ gitFolder, top }: GitRepository): boolean {
  return [path.join(top, '.gitattributes'), path.join(gitFolder, 'info/attributes')].some((file) => {
    try {
      return isRegularFile(file) && CONVERTING.test(readRegularFile(file, { maxBytes: MAX_ATTRIBUTES_BYTES }));
    } catch {
      return true;
    }
  });
}
