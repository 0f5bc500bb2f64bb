import type { SkillManifest } from '../../protocol/index.ts';
import type { SkillProblem } from '../skill.ts';
import type { SkillFields } from '../skill-fields.ts';
import { checkManifest } from './check-manifest.ts';
import { checkSchemas, type SkillSchemas } from './check-schemas.ts';
import { checkSkillFile } from './check-skill-file.ts';
import type { PackageFiles } from './package-files.ts';

/** A package without errors. */
export interface SkillPackage extends SkillFields {
  /** The text below the frontmatter. */
  body: string;
  /** `assets/runner.json`, with its defaults; also for a skill without one. */
  manifest: SkillManifest;
  /** The JSON Schemas that the manifest names. */
  schemas: SkillSchemas;
  files: PackageFiles;
}

/**
 * Finds everything that is wrong with a package, each with its file, line and remedy. `folder` is the name of its folder,
 * or null if it has none. The skill is null if one of the problems is an error.
 */
export async function checkPackage(
  files: PackageFiles,
  folder: string | null,
): Promise<{ skill: SkillPackage | null; problems: SkillProblem[] }> {
  const problems: SkillProblem[] = [];
  const head = checkSkillFile(files, folder, problems);
  const manifest = checkManifest(files, head?.fields?.name ?? null, problems);
  const schemas = await checkSchemas(files, manifest, problems);
  const isSound = !problems.some(({ severity }) => severity === 'error');
  if (!isSound || !head?.fields) return { skill: null, problems };
  return { skill: { ...head.fields, body: head.body, manifest: manifest.value, schemas, files }, problems };
}
