import path from 'node:path';
import { readRegularBytes } from '../../../files/index.ts';
import { findRepository } from '../../git/repository.ts';
import { textOfName } from '../name-bytes.ts';
import { EXCLUDE_FILE, IGNORE_FILE, type IgnoreFile, MAX_IGNORE_BYTES, rulesOf } from './ignore-file.ts';
import { ignoreRules } from './ignore-rules.ts';

/**
 * The rules of a git repository that apply in a folder from outside: `.gitignore` of its parent folders, up to the top
 * of the repository, and `.git/info/exclude`. `root` is its real path in latin1.
 */
export function outerIgnoreFiles(root: string): IgnoreFile[] {
  const repository = findRepository(textOfName(root).text);
  if (!repository) return [];
  const { top, prefix, gitFolder } = repository;
  const ups = prefix.split('/').length - 1;
  const found = Array.from({ length: ups }, (_, index) => {
    const up = '../'.repeat(index + 1);
    return { path: `${up}${IGNORE_FILE}`, rules: readRules(path.join(top, prefix, up, IGNORE_FILE)) };
  });
  const exclude = { path: `${'../'.repeat(ups)}${EXCLUDE_FILE}`, rules: readRules(excludeFileOf(gitFolder)) };
  const files = [...found, exclude].filter(({ rules }) => rules.length > 0);
  // A folder that its repository ignores completely is still covered when a program runs in it.
  const ignoresAll = ups > 0 && ignoreRules(root, { files }).hiddenBy('', 'any name', false) !== null;
  return ignoresAll ? [] : files;
}

/** A linked worktree shares its rules with the main one. */
function excludeFileOf(gitFolder: string): string {
  const common = read(path.join(gitFolder, 'commondir'))?.toString().trimEnd() || '.';
  return path.join(path.resolve(gitFolder, common), 'info/exclude');
}

function readRules(file: string): string[] {
  return rulesOf(read(file) ?? Buffer.alloc(0));
}

/** Null for anything but a regular file within the limit. */
function read(file: string): Buffer | null {
  try {
    return readRegularBytes(file, { maxBytes: MAX_IGNORE_BYTES });
  } catch {
    return null;
  }
}
