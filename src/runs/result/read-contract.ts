import type { SettledRequest } from '../../protocol/index.ts';
import type { RunContext } from '../context.ts';
import { skillFolderOf } from '../skills/skill-folder.ts';
import { readTakenPackage } from '../skills/taken-package.ts';
import type { SkillContract } from './contract.ts';

/** The contract of a skill, for the run with this handle. */
export type ContractOf = (handle: string) => SkillContract;

/** The contract of a run's skill, from the package that was accepted. Null for a run without one. */
export async function readContract(
  packages: SettledRequest['packages'],
  { home }: Pick<RunContext, 'home'>,
): Promise<ContractOf | null> {
  const main = packages?.find(({ role }) => role === 'main');
  if (!main) return null;
  const { manifest, schemas } = await readTakenPackage(main, { home });
  const { compileSchema } = await import('../../skills/index.ts');
  const check = schemas.output === undefined ? null : await compileSchema(schemas.output);
  const { namespace, name, version, sha256 } = main;
  const skill = { namespace, name, version, sha256 };
  return (handle) => ({
    skill,
    manifest,
    check,
    artifactsFolder: skillFolderOf({ managed: home.managed }, handle).artifacts,
  });
}
