import { MAX_SKILLS_PER_SOURCE, type SkillProblem } from '../skill.ts';

export function tooManySkills(source: string): SkillProblem {
  return {
    code: 'SKILL_SOURCE_TOO_LARGE',
    severity: 'error',
    message: `the source ${source} has more than ${MAX_SKILLS_PER_SOURCE} skills; the others are left out`,
    fix: 'Divide it into several sources.',
    source,
  };
}
