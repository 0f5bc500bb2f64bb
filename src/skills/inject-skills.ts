import { mentionOf, TachoError } from '../protocol/index.ts';
import { findMentions, type SkillReference } from './mention.ts';
import { asUnavailable, withTimeout } from './scan-spaces.ts';
import type { SkillMetadata } from './skill.ts';
import type { SkillSource } from './skill-source.ts';

/** A skill whose text goes into a prompt. */
export interface InjectedSkill {
  skill: SkillMetadata;
  body: string;
}

export interface Injection {
  injected: InjectedSkill[];
  /** Mentioned skills that were not injected, and why. */
  refused: { mention: string; error: TachoError }[];
}

export interface InjectionLimits {
  timeoutMs: number;
  bodyMaxBytes: number;
  totalMaxBytes: number;
}

interface Found {
  skill: SkillMetadata;
  source: SkillSource;
}

/**
 * Reads the texts of skills, in order, as far as they fit. A skill that cannot be read, lacks a variable or does not fit
 * is refused; a later and smaller one may still fit.
 */
export async function injectSkills(
  wanted: readonly SkillReference[],
  find: (reference: SkillReference) => Found,
  { env, limits }: { env: Readonly<Record<string, string | undefined>>; limits: InjectionLimits },
): Promise<Injection> {
  const injection: Injection = { injected: [], refused: [] };
  let left = limits.totalMaxBytes;
  for (const reference of wanted) {
    try {
      const { skill, source } = find(reference);
      checkVariables(skill, env);
      const body = await readBody(skill, source, limits);
      const bytes = Buffer.byteLength(body);
      if (bytes > left) throw overBudget(skill, { bytes, left, total: limits.totalMaxBytes });
      left -= bytes;
      injection.injected.push({ skill, body });
    } catch (error) {
      if (!(error instanceof TachoError)) throw error;
      injection.refused.push({ mention: mentionOf(reference), error });
    }
  }
  return injection;
}

/** The mentions in a text, or those given as such. */
export function wantedSkills(mentioned: string | readonly SkillReference[]): readonly SkillReference[] {
  if (typeof mentioned === 'string') return findMentions(mentioned);
  return [...new Map(mentioned.map((reference) => [mentionOf(reference), reference])).values()];
}

/** Throws SKILL_ENV_MISSING with the names of required variables that are not set; an empty one is not. */
export function checkVariables(
  skill: Pick<SkillMetadata, 'namespace' | 'name' | 'required_env_vars'>,
  env: Readonly<Record<string, string | undefined>>,
  fix?: string,
): void {
  const missing = skill.required_env_vars.filter((name) => !env[name]);
  if (missing.length === 0) return;
  throw new TachoError(
    'SKILL_ENV_MISSING',
    `${mentionOf(skill)} needs variables that are not set: ${missing.join(', ')}`,
    {
      facts: { namespace: skill.namespace, name: skill.name, missing },
      fix: fix ?? `Set ${missing.join(', ')}, then start again.`,
    },
  );
}

async function readBody(skill: SkillMetadata, source: SkillSource, { timeoutMs, bodyMaxBytes }: InjectionLimits) {
  try {
    return await withTimeout(source.id, timeoutMs, (signal) => {
      return source.readBody(skill, { signal, maxBytes: bodyMaxBytes });
    });
  } catch (error) {
    throw asUnavailable(source.id, error);
  }
}

function overBudget(
  skill: SkillReference,
  { bytes, left, total }: { bytes: number; left: number; total: number },
): TachoError {
  const message = `the text of ${mentionOf(skill)} has ${bytes} bytes; ${left} of ${total} are left for this prompt`;
  return new TachoError('SKILL_BUDGET_EXCEEDED', message, {
    facts: { namespace: skill.namespace, name: skill.name, bytes, left, total },
    fix: 'Mention fewer skills at once, or raise skills.inject_max_bytes.',
  });
}
