import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import { hashPackage } from './hash-package.ts';
import { writePackage } from './install-skills.ts';
import type { PackageFiles } from './package-files.ts';
import { readPackageFolder } from './read-folder.ts';

/**
 * Keeps the files of a package in a folder named after their hash, which it returns. Files that are there already and
 * were changed, for example by a recorded program, are replaced.
 */
export function keepPackage(root: string, files: PackageFiles): string {
  const sha256 = hashPackage(files);
  if (readKept(root, sha256) === null) writePackage(root, sha256, files);
  return sha256;
}

/** The files with this hash. Throws SKILL_PACKAGE_LOST if they are gone or were changed. */
export function readKeptPackage(root: string, sha256: string, name: string): PackageFiles {
  const files = readKept(root, sha256);
  if (files) return files;
  throw new TachoError('SKILL_PACKAGE_LOST', `the files that the skill ${name} was accepted with are gone or changed`, {
    facts: { name, sha256, path: path.join(root, sha256) },
    fix: 'Start a new run, which takes the skill as it is now.',
  });
}

function readKept(root: string, sha256: string): PackageFiles | null {
  const folder = path.join(root, sha256);
  if (!fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return null;
  try {
    const files = readPackageFolder(folder);
    return hashPackage(files) === sha256 ? files : null;
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}
