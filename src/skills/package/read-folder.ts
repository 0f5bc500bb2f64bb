import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { quoted } from '../quoted.ts';
import { openSkillFile } from '../sources/skill-file.ts';
import { FileCollector, invalidPackage, isLeftOut, linkOutside, type PackageFiles } from './package-files.ts';

/** Reads all files of a folder. Follows links to files inside of it; throws for those that lead out. */
export function readPackageFolder(folder: string): PackageFiles {
  const collector = new FileCollector();
  const root = openFolder(folder);
  try {
    for (const file of filesBelow(folder)) {
      collector.checkPath(file);
      readFile(root, file, collector);
    }
  } finally {
    fs.closeSync(root);
  }
  return collector.files;
}

function* filesBelow(folder: string, inner = ''): Generator<string> {
  const entries = fs.readdirSync(path.join(folder, inner), { withFileTypes: true });
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const name = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (isLeftOut(name)) continue;
    if (entry.isDirectory()) yield* filesBelow(folder, name);
    else yield name;
  }
}

function readFile(root: number, file: string, collector: FileCollector): void {
  const opened = openInside(root, file);
  try {
    collector.announce(opened.stats.size);
    const bytes = Buffer.alloc(opened.stats.size);
    let length = 0;
    while (length < bytes.length) {
      const count = fs.readSync(opened.fd, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    const isExecutable = (opened.stats.mode & 0o100) !== 0;
    collector.add(file, { bytes: bytes.subarray(0, length), isExecutable });
  } finally {
    fs.closeSync(opened.fd);
  }
}

function openInside(root: number, file: string) {
  try {
    const opened = openSkillFile(root, file);
    if (opened) return opened;
  } catch (error) {
    if (error instanceof TachoError && error.code === 'SKILL_LINK_OUTSIDE') throw linkOutside(file, 'a place outside');
    if (error instanceof TachoError) {
      throw invalidPackage(
        `${quoted(file)} is not a file, but a link to a folder, a pipe or a device`,
        'Remove it.',
        error,
      );
    }
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    throw invalidPackage(
      `${quoted(file)} cannot be read (${errno})`,
      'Check the permissions of the file and its folders.',
      error,
    );
  }
  throw linkOutside(file, 'something that does not exist');
}

function openFolder(folder: string): number {
  try {
    return fs.openSync(folder, fs.constants.O_DIRECTORY);
  } catch (error) {
    throw invalidPackage(`${quoted(folder)} cannot be opened (${errnoOf(error)})`, 'Name a folder or a zip.', error);
  }
}
