import { type SkillManifest, skillManifestSchema } from '../../protocol/index.ts';
import { onOneLine } from '../quoted.ts';
import type { SkillProblem } from '../skill.ts';
import { readJson } from './json-text.ts';
import type { PackageFiles } from './package-files.ts';

export const MANIFEST_FILE = 'assets/runner.json';

/** How a skill is run. */
export interface Manifest {
  value: SkillManifest;
  lineOf(path: readonly PropertyKey[]): number;
}

/** Reads `assets/runner.json` and reports its problems; the defaults if it is missing or invalid. */
export function checkManifest(files: PackageFiles, name: string | null, problems: SkillProblem[]): Manifest {
  const file = MANIFEST_FILE;
  const none: Manifest = { value: skillManifestSchema.parse({}), lineOf: () => 1 };
  const bytes = files.get(file)?.bytes;
  if (!bytes) return none;
  const wrong = (line: number, message: string, fix: string) =>
    void problems.push({ code: 'SKILL_MANIFEST_INVALID', severity: 'error', message, fix, file, line });
  const json = readJson(bytes);
  if (!('value' in json)) {
    wrong(json.line, `it cannot be read as JSON: ${json.message}`, 'Correct the JSON.');
    return none;
  }
  const { value, lineOf } = json;
  const parsed = skillManifestSchema.safeParse(value);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const where = path.length === 0 ? 'it' : path.join('.');
    wrong(lineOf(path), `${where}: ${message}`, 'See docs/skills.md for the keys of assets/runner.json.');
  }
  if (!parsed.success) return none;
  if (parsed.data.id !== undefined && name !== null && parsed.data.id !== name) {
    wrong(
      lineOf(['id']),
      `id is "${onOneLine(parsed.data.id)}", but the skill is called ${name}`,
      `Set id to "${name}".`,
    );
  }
  return { value: parsed.data, lineOf };
}
