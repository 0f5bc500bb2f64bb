import { mentionOf, type SettledRequest, TachoError } from '../../protocol/index.ts';
import type { CheckedSkill } from './check-skill.ts';

/** The fields of a request with a schema in the manifest, by the name that the schema has there. */
const CHECKED = { input: 'input', parameters: 'parameter' } as const;
const MAX_NAMED = 3;

/**
 * Throws INPUT_INVALID with every violation of the skill's schemas. Without input or parameters, an empty object is
 * checked, so that a schema decides whether they may be left out.
 */
export async function checkInput(
  { metadata, package: skill }: CheckedSkill,
  request: Pick<SettledRequest, 'input' | 'parameters'>,
): Promise<void> {
  const { compileSchema } = await import('../../skills/index.ts');
  const violations: { field: string; path: string; message: string }[] = [];
  const files: string[] = [];
  for (const field of ['input', 'parameters'] as const) {
    const schema = skill.schemas[CHECKED[field]];
    if (schema === undefined) continue;
    const check = await compileSchema(schema);
    const found = check(request[field] ?? {});
    violations.push(...found.map((violation) => ({ field, ...violation })));
    if (found.length > 0) files.push(skill.manifest.schemas[CHECKED[field]]!);
  }
  if (violations.length === 0) return;
  const mention = mentionOf(metadata);
  const named = violations.slice(0, MAX_NAMED).map(({ field, path, message }) => `${field}${path} ${message}`);
  const more = violations.length > MAX_NAMED ? `; and ${violations.length - MAX_NAMED} more` : '';
  throw new TachoError('INPUT_INVALID', `${mention} cannot start: ${named.join('; ')}${more}`, {
    facts: { skill: mention, violations },
    fix: `Correct the values; the schema is ${files.join(' and ')} of the skill. To see it: tacho skills show ${mention}`,
  });
}
