import type { SkillManifest } from '../../protocol/index.ts';
import type { SkillProblem } from '../skill.ts';
import type { SkillFiles } from '../skill-source.ts';
import { checkManifest, MANIFEST_FILE } from './check-manifest.ts';
import type { PackageFiles } from './package-files.ts';
import { readPackageFolder } from './read-folder.ts';
import { readPackageZip } from './read-zip.ts';

/** What a skill has in addition to its text. */
export interface PackageDescription {
  files: { path: string; bytes: number }[];
  /** Its `assets/runner.json`; null if it has none, or an invalid one. */
  manifest: SkillManifest | null;
}

/** Throws if the files cannot be read as a package. */
export async function describePackage(given: SkillFiles | null): Promise<PackageDescription> {
  const files = given === null ? new Map() : await readFiles(given);
  const listed = Array.from(files, ([path, { bytes }]) => ({ path, bytes: bytes.length }));
  const problems: SkillProblem[] = [];
  const manifest = checkManifest(files, null, problems).value;
  return { files: listed, manifest: files.has(MANIFEST_FILE) && problems.length === 0 ? manifest : null };
}

async function readFiles(given: SkillFiles): Promise<PackageFiles> {
  switch (given.kind) {
    case 'folder':
      return readPackageFolder(given.path);
    case 'zip':
      return await readPackageZip(given.bytes);
    case 'files':
      return new Map(
        Array.from(given.files, ([name, bytes]) => [name, { bytes: Buffer.from(bytes), isExecutable: false }]),
      );
  }
}
