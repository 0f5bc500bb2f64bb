import { configFields, mapOf } from '../field-table.ts';
import { findConfigKey, originsBelow } from '../find-key.ts';
import { splitPath } from '../key-path.ts';
import { type FieldOrigin, place } from '../origins.ts';
import type { LoadedConfig } from '../overlays.ts';

/** The value of a key, section or entry, without secrets, and the origin of each of its values. */
export function configValue(loaded: LoadedConfig, path: string): { value: unknown; origins: FieldOrigin[] } {
  const key = findConfigKey(path);
  const origins = originsBelow(loaded.origins, key);
  // Also a map without entries, and a removed entry.
  if (origins[0]?.path === key.path) return { value: origins[0].value, origins };
  const depth = key.path === '' ? 0 : splitPath(key.path).length;
  const whole: Record<string, unknown> = {};
  for (const origin of origins) {
    const parts = splitPath(origin.path).slice(depth);
    const entry = mapOf(configFields, origin.path)?.entryOf(origin.path);
    const isRemoved = entry !== undefined && entry.key === undefined && origin.value === null;
    if (!isRemoved) place(whole, parts, origin.value);
  }
  return { value: whole, origins };
}
