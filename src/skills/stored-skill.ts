import { createHash } from 'node:crypto';
import { SKILL_NAMESPACE_PATTERN, SKILL_NAMESPACE_RULE, TachoError } from '../protocol/index.ts';
import type { SkillReference } from './mention.ts';
import { quoted } from './quoted.ts';
import type { SkillBundle } from './skill.ts';
import { readSkillFields, type SkillFields } from './skill-fields.ts';
import type { SkillSource } from './skill-source.ts';

/** A skill to put into a database. */
export interface StoredSkill extends SkillReference {
  description: string;
  body: string;
  required_env_vars?: readonly string[];
  metadata?: Readonly<Record<string, unknown>>;
  /** A disabled skill is kept, but not found. */
  enabled?: boolean;
  /** A zip with scripts, references and other files. */
  bundle?: Uint8Array;
}

/** A source that skills can be put into. */
export interface WritableSkillSource extends SkillSource {
  /** Adds the skill, or replaces it as a whole. */
  put(skill: StoredSkill): Promise<void>;
  /** Does nothing if it is not there. */
  remove(skill: SkillReference): Promise<void>;
}

/** No zip of a skill is larger. */
export const MAX_BUNDLE_BYTES = 64 * 1024 * 1024;

/** The checked fields of a skill to store. Throws for one that a scan would reject. */
export function checkStored(skill: StoredSkill): SkillFields & { bundle: SkillBundle | null } {
  const { fields, flaws } = readSkillFields({ ...skill });
  const flaw = flaws.find(({ severity }) => severity === 'error');
  if (fields === null) throw new TachoError(flaw!.code, flaw!.message, { fix: flaw!.fix, facts: { name: skill.name } });
  if (!SKILL_NAMESPACE_PATTERN.test(skill.namespace)) {
    throw new TachoError(
      'SKILL_FIELD_INVALID',
      `the namespace has to be ${SKILL_NAMESPACE_RULE}, not ${quoted(skill.namespace)}`,
    );
  }
  const { bundle } = skill;
  if (bundle && bundle.length > MAX_BUNDLE_BYTES) {
    throw new TachoError(
      'SKILL_PACKAGE_TOO_LARGE',
      `the files of ${skill.name} have more than ${MAX_BUNDLE_BYTES} bytes`,
      {
        fix: 'Leave out files that the skill does not need.',
      },
    );
  }
  return { ...fields, bundle: bundle ? { sha256: sha256(bundle), bytes: bundle.length } : null };
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
