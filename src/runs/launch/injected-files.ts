import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { RunFiles } from '../../protocol/index.ts';

/** Digests of the files by path: a file that the program does not change counts as ours. */
export function injectedDigests(files: RunFiles): Record<string, string> {
  const digest = (text: string) => createHash('sha256').update(Buffer.from(text)).digest('hex');
  return Object.fromEntries(files.map(({ path: name, text }) => [name, digest(text)]));
}

/** Writes files into a working folder of ours. Does not replace existing files, and does not follow links. */
export function injectFiles(root: string, files: RunFiles): void {
  for (const { path: name, text } of files) {
    const names = name.split('/');
    const file = path.join(root, ...names);
    let folder = root;
    for (const part of names.slice(0, -1)) {
      folder = path.join(folder, part);
      makeFolder(folder);
    }
    fs.writeFileSync(file, text, { flag: 'wx' });
  }
}

function makeFolder(folder: string): void {
  try {
    fs.mkdirSync(folder);
  } catch (error) {
    if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
