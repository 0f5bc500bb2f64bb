import { MAX_FRONTMATTER_BYTES, type SkillBundle, type SkillMetadata, type SkillProblem } from '../skill.ts';
import { readSkillFields } from '../skill-fields.ts';
import type { SourceScan } from '../skill-source.ts';
import { MAX_BUNDLE_BYTES } from '../stored-skill.ts';

/** What a database says about a skill. */
export interface SkillRow {
  name: string;
  description: unknown;
  required_env_vars: unknown;
  metadata: unknown;
  bundle_sha256: string | null;
  bundle_bytes: number | null;
}

interface RowPlace {
  source: string;
  namespace: string;
  location: string;
}

/** Adds a row to a scan: as a skill, or as problems. */
export function addRow(scan: SourceScan, row: SkillRow, { source, namespace, location }: RowPlace): void {
  const { fields, flaws } = readSkillFields({ ...row });
  const bundle = readBundle(row);
  scan.problems.push(...flaws.map(({ key: _, ...flaw }) => ({ ...flaw, source, file: location })));
  if (bundle === undefined) {
    scan.problems.push({
      code: 'SKILL_BUNDLE_MISMATCH',
      severity: 'error',
      message: `its bundle needs a SHA-256 of 64 digits and a size of at most ${MAX_BUNDLE_BYTES} bytes`,
      fix: 'Store the skill again.',
      source,
      file: location,
    });
  } else if (fields) {
    const skill: SkillMetadata = { namespace, ...fields, source, location, bundle };
    scan.skills.push(skill);
  }
}

export function headTooLarge({ source, location }: Pick<RowPlace, 'source' | 'location'>): SkillProblem {
  return {
    code: 'SKILL_FRONTMATTER_TOO_LARGE',
    severity: 'error',
    message: `its metadata is larger than ${MAX_FRONTMATTER_BYTES} bytes`,
    fix: 'Move what is not metadata into the text of the skill.',
    source,
    file: location,
  };
}

/** Undefined if it is invalid. */
function readBundle({ bundle_sha256: sha256, bundle_bytes: bytes }: SkillRow): SkillBundle | null | undefined {
  if (sha256 === null && bytes === null) return null;
  const isValid =
    sha256 !== null && /^[0-9a-f]{64}$/.test(sha256) && bytes !== null && bytes >= 0 && bytes <= MAX_BUNDLE_BYTES;
  return isValid ? { sha256, bytes } : undefined;
}
