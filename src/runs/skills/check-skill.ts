import type { EngineProfile } from '../../engines/index.ts';
import { mentionOf, type SettledRequest, TachoError } from '../../protocol/index.ts';
import type { SkillLibrary, SkillMetadata, SkillPackage } from '../../skills/index.ts';
import { HOME_VARIABLES } from '../launch/isolated-environment.ts';

/** A skill that the run can use. */
export interface CheckedSkill {
  metadata: SkillMetadata;
  package: SkillPackage;
}

/** Reads a skill and checks that the engine of the run can use it. */
export async function checkSkill(
  metadata: SkillMetadata,
  { library, request, profile }: { library: SkillLibrary; request: SettledRequest; profile: EngineProfile },
): Promise<CheckedSkill> {
  const found = await library.readPackage(metadata);
  const { engines, unsupported_engines } = found.manifest;
  const names = namesOf(profile);
  const isSupported = engines === undefined || names.some((name) => engines.includes(name));
  if (!isSupported || names.some((name) => unsupported_engines.includes(name))) {
    const mention = mentionOf(metadata);
    throw new TachoError('SKILL_ENGINE_UNSUPPORTED', `${mention} does not support ${profile.title}`, {
      facts: { skill: mention, engine: profile.name, engines: engines ?? null, unsupported_engines },
      fix: engines === undefined ? 'Use another engine.' : `Use one of the engines it names: ${engines.join(', ')}`,
    });
  }
  const { checkVariables } = await import('../../skills/index.ts');
  checkVariables({ ...found, namespace: metadata.namespace }, variablesOf(request, profile), PASS_THEM);
  return { metadata, package: found };
}

/** The skill's own prompt for the engine, if it has one. */
export function promptFor({ manifest }: SkillPackage, profile: EngineProfile): { prompt?: string } {
  const { prompts } = manifest.entrypoint;
  const name = [...namesOf(profile), 'common'].find((key) => Object.hasOwn(prompts, key));
  return name === undefined ? {} : { prompt: prompts[name]! };
}

export function versionOf({ manifest, metadata }: SkillPackage): string | null {
  return manifest.version ?? (typeof metadata.version === 'string' ? metadata.version : null);
}

/** A defined engine is also the one that it extends. */
function namesOf({ name, definition }: EngineProfile): string[] {
  return definition === undefined ? [name] : [name, definition.extends];
}

const PASS_THEM = 'Set them and pass them to the engine by name: --env NAME; in a request: pass_env or env.';

/** What the engine finds in its environment; of some variables it counts only that they are set. */
function variablesOf({ env, term, base_url }: SettledRequest, { environment }: EngineProfile): Record<string, string> {
  const folders = Object.fromEntries(HOME_VARIABLES.map((name) => [name, 'managed']));
  const withBaseUrl = base_url === undefined ? {} : environment.withBaseUrl;
  return { ...folders, TERM: term, ...environment.set, ...withBaseUrl, ...env };
}
