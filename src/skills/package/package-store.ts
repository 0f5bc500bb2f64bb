import fs from 'node:fs';
import path from 'node:path';
import { bytesIn, pollUntil, takeFolderFlock } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { hashPackage } from './hash-package.ts';
import { writePackage } from './install-skills.ts';
import { isThere, temporaryPlace } from './leftovers.ts';
import type { PackageFiles } from './package-files.ts';
import { readPackageFolder } from './read-folder.ts';

const KEPT_NAME = /^[0-9a-f]{64}$/;
const LOCK_POLL_MS = 5;

/**
 * Keeps the files of a package in a folder named after their hash, which it returns. Files that are there already and
 * were changed, for example by a recorded program, are replaced.
 */
export async function keepPackage(root: string, files: PackageFiles): Promise<string> {
  const sha256 = hashPackage(files);
  // Renewed before it is read: from then on it counts as young, and is not removed.
  const isKept = await renewKept(root, sha256);
  if (!isKept || readKept(root, sha256) === null) writePackage(root, sha256, files);
  return sha256;
}

/** Hashes of packages that were last kept longer ago than this. */
export function oldPackages(root: string, minAgeMs: number): string[] {
  return fs.readdirSync(root).filter((name) => KEPT_NAME.test(name) && isOlder(path.join(root, name), minAgeMs));
}

/**
 * Removes a package, or whatever has its name, and returns the bytes of its files; null if it was kept again meanwhile.
 * It disappears in one step, so a process that is killed leaves no half of it.
 */
export async function removeKeptPackage(root: string, sha256: string, minAgeMs: number): Promise<number | null> {
  const folder = path.join(root, sha256);
  const bytes = bytesIn(folder);
  const aside = temporaryPlace(root, 'removed');
  const isAside = await locked(root, () => {
    if (!isOlder(folder, minAgeMs)) return false;
    fs.renameSync(folder, aside);
    return true;
  });
  if (!isAside) return null;
  fs.rmSync(aside, { recursive: true, force: true });
  return bytes;
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

/** Marks a package as just kept. False if there is none. */
async function renewKept(root: string, sha256: string): Promise<boolean> {
  const folder = path.join(root, sha256);
  if (!isThere(folder)) return false;
  const now = new Date();
  return locked(root, () => {
    if (!isThere(folder)) return false;
    fs.lutimesSync(folder, now, now);
    return true;
  });
}

function isOlder(folder: string, minAgeMs: number): boolean {
  const stat = fs.lstatSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > minAgeMs;
}

/** Keeping a package and removing it exclude each other, also in different processes. Held for an instant. */
async function locked<T>(root: string, step: () => T): Promise<T> {
  const lock = (await pollUntil(() => takeFolderFlock(root), { everyMs: LOCK_POLL_MS }))!;
  try {
    return step();
  } finally {
    lock.release();
  }
}
