import fs from 'node:fs';
import { descriptorPath, errnoOf, openFolder, openRegularFile } from '../../files/index.ts';
import { withoutDoneMember } from './done-member.ts';
import { readJson } from './json-values.ts';

export const MAX_RESULT_BYTES = 1024 * 1024;
/** What a name leads to that is not a regular file, or not there. */
const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO', 'EINVAL', 'ENODEV']);

/** A file with a result: its value, or what is wrong with it. */
export type ResultFile = { value: unknown } | { wrong: string };

export interface ResultFileOptions {
  /** Ignores a file that was last changed earlier, such as one of an earlier run. In milliseconds. */
  changedSince?: number;
  /** Blanks the values of secrets. */
  hideSecrets(text: string): string;
}

/**
 * Reads the file that the manifest names as the result. The program may have put anything there: only a regular file
 * counts, and no part of its path may be a link. Null if there is none.
 */
export function readResultFile(root: string, name: string, options: ResultFileOptions): ResultFile | null {
  const { changedSince = 0, hideSecrets } = options;
  const fd = openInside(root, name);
  if (typeof fd !== 'number') return fd;
  try {
    const { size, mtimeMs } = fs.fstatSync(fd);
    if (mtimeMs < changedSince) return null;
    if (size > MAX_RESULT_BYTES) return { wrong: `has ${size} bytes; the limit is ${MAX_RESULT_BYTES}` };
    const bytes = Buffer.alloc(size);
    const length = fs.readSync(fd, bytes, 0, size, 0);
    const json = readJson(hideSecrets(bytes.toString('utf8', 0, length).replace(/^\ufeff/, '')));
    return json === null ? { wrong: 'is not JSON' } : { value: withoutDoneMember(json.value) };
  } finally {
    fs.closeSync(fd);
  }
}

/** Opens each folder in the one before it, so that nothing can be put in its place meanwhile. */
function openInside(root: string, name: string): number | null | { wrong: string } {
  const open: number[] = [];
  try {
    const folders = name.split('/');
    const file = folders.pop()!;
    open.push(openFolder(fs.realpathSync(root)));
    for (const folder of folders) open.push(openFolder(descriptorPath(open.at(-1)!, folder)));
    return openRegularFile(descriptorPath(open.at(-1)!, file));
  } catch (error) {
    const errno = errnoOf(error) ?? 'unknown';
    return NO_FILE.has(errno) ? null : { wrong: `cannot be read (${errno})` };
  } finally {
    for (const fd of open) fs.closeSync(fd);
  }
}
