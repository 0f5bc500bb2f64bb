import { createHash } from 'node:crypto';
import path from 'node:path';
import { realFolder, trustedSkills } from '../../config/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { hashPackage } from '../package/hash-package.ts';
import type { PackageFiles } from '../package/package-files.ts';
import { readPackageFolder } from '../package/read-folder.ts';
import { findSkillFolders } from '../sources/skill-folders.ts';
import { type LocalFolders, PROJECT_NAMESPACE, skillPlaces } from './skill-places.ts';

/** Skills of a project by their folder below it, each with the hash of all its files. */
export type SkillHashes = ReadonlyMap<string, string>;

/** The skills of a project that can be trusted. Packages that cannot be read are left out: they are never trusted. */
export function hashProjectSkills(folders: LocalFolders): SkillHashes {
  const hashes = new Map<string, string>();
  for (const { namespace, root } of skillPlaces(folders)) {
    if (namespace !== PROJECT_NAMESPACE) continue;
    for (const { folder } of findSkillFolders(root, { before: new Map(), now: new Map() })) {
      const place = path.join(root, folder);
      const files = readOrNull(place);
      if (files) hashes.set(path.relative(path.resolve(folders.workspaceRoot), place), hashPackage(files));
    }
  }
  return hashes;
}

/** One hash of all of them; null if there are none. */
export function hashOfAll(skills: SkillHashes): string | null {
  if (skills.size === 0) return null;
  const hash = createHash('sha256').update('tacho-skills/1\n');
  for (const place of [...skills.keys()].sort()) {
    hash.update(`${Buffer.byteLength(place)} ${place} ${skills.get(place)}\n`);
  }
  return hash.digest('hex');
}

/** The files of a skill of a project if they are trusted, exactly as they were when they were compared; else null. */
export function readTrusted(place: string, { workspaceRoot, dataFolder }: LocalFolders): PackageFiles | null {
  const trusted = trustedSkills(dataFolder, realFolder(workspaceRoot));
  const hash = trusted[path.relative(path.resolve(workspaceRoot), place)];
  if (hash === undefined) return null;
  const files = readOrNull(place);
  return files && hashPackage(files) === hash ? files : null;
}

function readOrNull(place: string): PackageFiles | null {
  try {
    return readPackageFolder(place);
  } catch (error) {
    if (error instanceof TachoError) return null;
    throw error;
  }
}
