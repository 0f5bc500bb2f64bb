import { mentionOf, TachoError } from '../protocol/index.ts';
import type { SkillReference } from './mention.ts';

/** The same words for the failures that every source can have. */
export function skillGone(skill: SkillReference & { location: string }): TachoError {
  return new TachoError('SKILL_UNKNOWN', `${mentionOf(skill)} is no longer at ${skill.location}`, {
    facts: { namespace: skill.namespace, name: skill.name },
    fix: 'Scan again; the skill was removed, renamed or disabled after the last scan.',
  });
}

export function bodyTooLarge(
  skill: SkillReference,
  { bytes, maxBytes }: { bytes: number; maxBytes: number },
): TachoError {
  return new TachoError(
    'SKILL_BODY_TOO_LARGE',
    `the text of ${mentionOf(skill)} has ${bytes} bytes; ${maxBytes} are allowed`,
    {
      facts: { namespace: skill.namespace, name: skill.name, bytes, max_bytes: maxBytes },
      fix: 'Move details into references/ of the skill, or raise skills.body_max_bytes.',
    },
  );
}

export function sourceUnavailable(id: string, what: string, cause?: unknown): TachoError {
  return new TachoError('SKILL_SOURCE_UNAVAILABLE', `the skills of source ${id} cannot be read: ${what}`, {
    facts: { source: id },
    cause,
    fix: 'Check that the source can be reached; its skills are back with the next scan that succeeds.',
  });
}

export function bundleMismatch(skill: SkillReference, what: string): TachoError {
  return new TachoError('SKILL_BUNDLE_MISMATCH', `the files of ${mentionOf(skill)} cannot be used: ${what}`, {
    facts: { namespace: skill.namespace, name: skill.name },
    fix: 'Store the skill again, so that its metadata fits its files, and scan again.',
  });
}
