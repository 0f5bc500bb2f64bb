import { type SkillManifest, skillManifestSchema } from '../../../src/protocol/index.ts';

/** How a skill is run; the defaults if it does not say, or if a newer server says it differently. */
export function manifestOf({ manifest }: { manifest: Record<string, unknown> | null }): SkillManifest {
  return skillManifestSchema.safeParse(manifest ?? {}).data ?? skillManifestSchema.parse({});
}

/** Whether a skill works with an engine. */
export function supportsEngine({ engines, unsupported_engines }: SkillManifest, engine: string): boolean {
  return (engines?.includes(engine) ?? true) && !unsupported_engines.includes(engine);
}
