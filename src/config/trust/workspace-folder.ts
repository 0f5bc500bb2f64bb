import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { FileContent } from '../sources/config-file.ts';

/** A file whose settings belong to the author of the workspace. */
export interface WorkspaceFile {
  name: string;
  content: FileContent;
}

/** SHA-256 over the names and bytes of the existing files; null if there are none. */
export function contentHash(files: readonly WorkspaceFile[]): string | null {
  const hash = createHash('sha256').update('tacho-trust/1\n');
  let count = 0;
  for (const { name, content } of files) {
    if (content.kind !== 'bytes') continue;
    count += 1;
    hash.update(`${Buffer.byteLength(name)} ${content.bytes.length} ${name}\n`).update(content.bytes);
  }
  return count === 0 ? null : hash.digest('hex');
}

/** Its real path; links to it are other names. */
export function realFolder(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return path.resolve(folder); // Does not exist.
  }
}

/**
 * Whether the author of the workspace may have written this too: it is inside, by its name or its real path. The user's
 * home is not a foreign workspace, and contains the user's own files.
 */
export function liesIn(workspace: string, file: string): boolean {
  const root = realFolder(workspace);
  if (isBelow(root, realFolder(os.homedir()))) return false;
  return isBelow(path.resolve(workspace), path.resolve(file)) || isBelow(root, realFolder(file));
}

export function isBelow(folder: string, file: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
