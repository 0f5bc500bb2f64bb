import type { EnvFileKey } from '../../config/index.ts';
import type { EngineProfile } from '../../engines/index.ts';
import type { SettingsFrom } from '../../protocol/index.ts';

/** Keys of a `.env` that an engine uses and that nothing else sets; keys of an untrusted folder have no value. */
export function keysForEngine(
  profile: EngineProfile | null,
  keys: readonly EnvFileKey[],
  env: Readonly<Record<string, string>>,
): EnvFileKey[] {
  return keys.filter(({ name }) => profile?.environment.take.includes(name) && !(name in env));
}

/** The values in effect, by name. */
export function keyValues(keys: readonly EnvFileKey[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])));
}

/** The origin of the keys, or that they were ignored, for the run's record. */
export function keySettings(keys: readonly EnvFileKey[]): SettingsFrom[] {
  const [first] = keys;
  if (first === undefined) return [];
  const names = keys.map(({ name }) => name);
  const file = first.source.name;
  if (first.value === null) return [{ from: 'workspace_ignored', file, keys: names }];
  return [{ from: 'workspace_trusted', file, sha256: first.sha256, keys: names }];
}
