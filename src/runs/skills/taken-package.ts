import { TachoError, type TakenPackage } from '../../protocol/index.ts';
import type { SkillPackage } from '../../skills/index.ts';
import type { RunContext } from '../context.ts';
import { packagesFolder } from '../data-home.ts';

/**
 * The package of a run's skill, exactly as it was when the run was accepted. Throws SKILL_PACKAGE_LOST if its files are
 * gone or were changed.
 */
export async function readTakenPackage(entry: TakenPackage, context: Pick<RunContext, 'home'>): Promise<SkillPackage> {
  const { checkPackage, readKeptPackage } = await import('../../skills/index.ts');
  const files = readKeptPackage(packagesFolder(context.home), entry.sha256, entry.name);
  const { skill, problems } = await checkPackage(files, entry.name);
  if (skill) return skill;
  // Only a newer or older tacho finds errors in bytes that were accepted.
  const [{ code, message, fix }] = problems.filter(({ severity }) => severity === 'error') as [(typeof problems)[0]];
  throw new TachoError(code, `the skill ${entry.name} cannot be used: ${message}`, { facts: { ...entry }, fix });
}
