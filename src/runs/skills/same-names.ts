import { mentionOf, TachoError } from '../../protocol/index.ts';
import type { SkillMetadata } from '../../skills/index.ts';

/**
 * Engines know skills by their names alone, so a run cannot have two with the same name. The main skill stays; of the
 * others none is preferred.
 */
export function withOneOfEachName(
  extras: readonly SkillMetadata[],
  main: SkillMetadata | null,
  onSame: (skill: SkillMetadata, error: TachoError) => void,
): SkillMetadata[] {
  const all = main === null ? extras : [main, ...extras];
  return extras.filter((skill) => {
    const same = all.filter(({ name }) => name === skill.name);
    if (same.length === 1) return true;
    const mentions = same.map(mentionOf);
    const message = `an engine knows skills by name, so it cannot have ${mentions.join(' and ')} at once`;
    onSame(skill, new TachoError('SKILL_AMBIGUOUS', message, { facts: { mentions }, fix: 'Choose one of them.' }));
    return false;
  });
}
