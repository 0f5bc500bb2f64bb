import { TachoError } from '../../protocol/index.ts';
import type { SkillProblem } from '../skill.ts';
import { MANIFEST_FILE, type Manifest } from './check-manifest.ts';
import { compileSchema } from './json-schema.ts';
import { readJson } from './json-text.ts';
import type { PackageFiles } from './package-files.ts';

const SCHEMA_KINDS = ['input', 'parameter', 'output'] as const;

/** The JSON Schemas of a skill, as far as it has them. */
export type SkillSchemas = Partial<Record<(typeof SCHEMA_KINDS)[number], unknown>>;

/** Reads the schemas that the manifest names and reports their problems. */
export async function checkSchemas(
  files: PackageFiles,
  { value, lineOf }: Manifest,
  problems: SkillProblem[],
): Promise<SkillSchemas> {
  const schemas: SkillSchemas = {};
  for (const kind of SCHEMA_KINDS) {
    const path = value.schemas[kind];
    if (path === undefined) continue;
    const bytes = files.get(path)?.bytes;
    const report = (message: string, fix: string, place: { file: string; line: number }) =>
      void problems.push({ code: 'SKILL_SCHEMA_INVALID', severity: 'error', message, fix, ...place });
    if (!bytes) {
      const line = lineOf(['schemas', kind]);
      report(`the ${kind} schema ${path} is missing`, 'Add the file, or correct its path.', {
        file: MANIFEST_FILE,
        line,
      });
      continue;
    }
    const json = readJson(bytes);
    if (!('value' in json)) {
      report(`it cannot be read as JSON: ${json.message}`, 'Correct the JSON.', { file: path, line: json.line });
      continue;
    }
    try {
      await compileSchema(json.value);
      schemas[kind] = json.value;
    } catch (error) {
      if (!(error instanceof TachoError)) throw error;
      const line = json.lineOf((error.facts.path as string[] | undefined) ?? []);
      report(error.message, error.fix ?? '', { file: path, line });
    }
  }
  return schemas;
}
