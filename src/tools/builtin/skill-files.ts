import { TachoError } from '../../protocol/error-code.ts';
import type { ErrorCode, ToolErrorKind } from '../../protocol/index.ts';
import type { PackageFiles, SkillMetadata } from '../../skills/index.ts';
import type { ToolContext } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';

const KINDS: Partial<Record<ErrorCode, ToolErrorKind>> = {
  SKILL_UNKNOWN: 'not_found',
  SKILL_SPACE_NOT_CONFIGURED: 'not_found',
  SKILL_MENTION_INVALID: 'invalid_arguments',
  SKILL_AMBIGUOUS: 'invalid_arguments',
  SKILL_DUPLICATE_NAME: 'invalid_arguments',
  SKILL_SOURCE_UNAVAILABLE: 'unavailable',
  SKILL_ENV_MISSING: 'unavailable',
  SKILL_NOT_TRUSTED: 'not_permitted',
  SKILL_PACKAGE_TOO_LARGE: 'too_large',
};

/** A skill by its mention or a name that only one has, with the files of its package. */
export async function findSkill(
  argument: string,
  { skills }: ToolContext,
): Promise<{ skill: SkillMetadata; files: PackageFiles }> {
  if (skills === null) throw new ToolFailure('unavailable', 'there are no skills here');
  const { collectFiles } = await import('../../skills/package/collect-files.ts');
  return await asToolFailure(async () => {
    const skill = await skills.find(argument);
    return { skill, files: await collectFiles(await skills.readFiles(skill)) };
  });
}

/** Errors about skills, in the words of tools. */
export async function asToolFailure<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TachoError)) throw error;
    const kind = KINDS[error.code] ?? 'failed';
    throw new ToolFailure(kind, [error.message, error.fix].filter(Boolean).join('. '), {
      data: { code: error.code },
      retryable: kind === 'unavailable',
      cause: error,
    });
  }
}

/** One file of a package; the paths of a package have no `..` and no links. */
export function fileOf(files: PackageFiles, name: string, skill: SkillMetadata) {
  const file = files.get(name.replace(/^\.\//, ''));
  if (file) return file;
  const known = [...files.keys()].filter((one) => one !== 'SKILL.md').slice(0, 50);
  const list = known.length === 0 ? 'It has no files.' : `Its files are: ${known.join(', ')}`;
  throw new ToolFailure('not_found', `the skill ${skill.name} has no file ${JSON.stringify(name)}. ${list}`, {
    data: { skill: skill.name, path: name },
  });
}
