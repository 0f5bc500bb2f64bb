import type { EngineProfile } from '../../engines/index.ts';

/** The profile as it holds for one version of the engine; an unknown version is taken for a current one. */
export function profileForVersion(profile: EngineProfile, version: string | null): EngineProfile {
  const older = version === null ? undefined : olderVersions(profile, version);
  if (!older) return profile;
  const { before: _, unsupported: __, ...changes } = older;
  return { ...profile, ...changes };
}

/** Why this version of the engine cannot be run; null if it can. */
export function whyUnsupported(profile: EngineProfile, version: string | null): string | null {
  if (version === null) return null;
  return olderVersions(profile, version)?.unsupported ?? null;
}

/** Negative if the first version is the older one. Only the numbers count: a pre-release is taken for its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  const at = [0, 1, 2].find((index) => first[index] !== second[index]);
  return at === undefined ? 0 : first[at]! - second[at]!;
}

function olderVersions({ older = [] }: EngineProfile, version: string) {
  return older.find(({ before }) => compareVersions(version, before) < 0);
}

function numbersOf(version: string): number[] {
  const parts = version.match(/\d+/g) ?? [];
  return [0, 1, 2].map((index) => Number(parts[index] ?? 0));
}
