import type { SkillManifest } from '../../protocol/index.ts';
import type { SkillProblem } from '../skill.ts';
import type { SkillFiles } from '../skill-source.ts';
import { checkManifest, MANIFEST_FILE } from './check-manifest.ts';
import { collectFiles } from './collect-files.ts';
import type { PackageFiles } from './package-files.ts';

/** What a skill has in addition to its text. */
export interface PackageDescription {
  files: { path: string; bytes: number }[];
  /** Its `assets/runner.json`; null if it has none, or an invalid one. */
  manifest: SkillManifest | null;
}

/** Throws if the files cannot be read as a package. */
export async function describePackage(given: SkillFiles | null): Promise<PackageDescription> {
  return describeFiles(await collectFiles(given));
}

export function describeFiles(files: PackageFiles): PackageDescription {
  const listed = Array.from(files, ([path, { bytes }]) => ({ path, bytes: bytes.length }));
  const problems: SkillProblem[] = [];
  const manifest = checkManifest(files, null, problems).value;
  return { files: listed, manifest: files.has(MANIFEST_FILE) && problems.length === 0 ? manifest : null };
}
