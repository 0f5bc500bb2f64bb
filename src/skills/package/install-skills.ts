import fs from 'node:fs';
import path from 'node:path';
import { errnoOf } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { SkillPackage } from './check-package.ts';
import { ignoreSystemErrors, isThere, removeLeftovers, replacedPlace, temporaryPlace } from './leftovers.ts';
import type { PackageFiles } from './package-files.ts';

/**
 * Copies skills into a folder of skills: all of them, or none if one cannot be copied. A skill appears as a whole, because
 * it is written under a name that scans skip and then renamed. Returns their folders. Throws SKILL_EXISTS if there is one
 * with the same name, unless it is to be replaced.
 */
export function installSkills(
  skills: readonly Pick<SkillPackage, 'name' | 'files'>[],
  root: string,
  { replace = false }: { replace?: boolean } = {},
): string[] {
  removeLeftovers(root);
  const targets = skills.map(({ name, files }) => ({ name, files, folder: path.join(root, name) }));
  if (!replace) for (const { name, folder } of targets) if (isThere(folder)) throw exists(name, folder);
  const undo: (() => void)[] = [];
  const finish: (() => void)[] = [];
  try {
    fs.mkdirSync(root, { recursive: true, mode: 0o700 });
    const written = targets.map((target) => {
      const temporary = temporaryPlace(root, target.name);
      undo.push(() => fs.rmSync(temporary, { recursive: true, force: true }));
      writeFiles(temporary, target.files);
      return { ...target, temporary };
    });
    for (const { name, folder, temporary } of written) {
      if (replace && isThere(folder)) {
        const old = replacedPlace(root, name);
        fs.renameSync(folder, old);
        undo.push(() => fs.renameSync(old, folder));
        finish.push(() => fs.rmSync(old, { recursive: true, force: true }));
      }
      rename(temporary, { name, folder });
      undo.push(() => fs.rmSync(folder, { recursive: true, force: true }));
    }
  } catch (error) {
    // What cannot be undone must not keep the rest from being undone.
    for (const step of undo.reverse()) ignoreSystemErrors(step);
    throw asFolderError(error, root);
  }
  for (const step of finish) step();
  return targets.map(({ folder }) => folder);
}

/** Writes a package as a whole, in place of anything that has its name. Another process may write the same one. */
export function writePackage(root: string, name: string, files: PackageFiles): void {
  const folder = path.join(root, name);
  removeLeftovers(root);
  const temporary = temporaryPlace(root, name);
  try {
    fs.mkdirSync(root, { recursive: true, mode: 0o700 });
    writeFiles(temporary, files);
    if (isThere(folder)) removeSkillFolder(folder);
    fs.renameSync(temporary, folder);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    if (errnoOf(error) !== 'ENOTEMPTY') throw asFolderError(error, root);
  }
}

/** Another process may have added the skill meanwhile. */
function rename(from: string, { name, folder }: { name: string; folder: string }): void {
  try {
    fs.renameSync(from, folder);
  } catch (error) {
    throw errnoOf(error) === 'ENOTEMPTY' ? exists(name, folder) : error;
  }
}

/**
 * Removes the folder of a skill, or a link to one, from a folder of skills. It disappears in one step, even if its files
 * are many.
 */
export function removeSkillFolder(folder: string, root = path.dirname(folder)): void {
  removeLeftovers(root);
  // The folder may have a name that is too long to be extended.
  const aside = temporaryPlace(root, 'removed');
  try {
    fs.renameSync(folder, aside);
    fs.rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    throw asFolderError(error, root);
  }
}

function writeFiles(folder: string, files: PackageFiles): void {
  fs.mkdirSync(folder, { mode: 0o700 });
  for (const [name, { bytes, isExecutable }] of files) {
    const file = path.join(folder, name);
    fs.mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    fs.writeFileSync(file, bytes, { flag: 'wx', mode: isExecutable ? 0o700 : 0o600 });
  }
}

function exists(name: string, folder: string): TachoError {
  return new TachoError('SKILL_EXISTS', `there is already a skill ${name}: ${folder}`, {
    facts: { name, folder },
    fix: 'Remove it first, or add --replace.',
  });
}

/** Anything but an error of the system is a bug. */
function asFolderError(error: unknown, root: string): unknown {
  const errno = errnoOf(error);
  if (error instanceof TachoError || errno === undefined) return error;
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new TachoError('DISK_FULL', `${root} cannot be written: the disk is full`, { cause: error });
  }
  return new TachoError('DATA_FOLDER_UNWRITABLE', `${root} cannot be written (${errno})`, {
    facts: { path: root, errno },
    cause: error,
    fix: 'Check that it is a folder and that you may write to it.',
  });
}
