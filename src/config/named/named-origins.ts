import { factsOf, shapeKeys } from '../check-value.ts';
import type { ConfigField } from '../field-table.ts';
import { type FieldOrigin, originOf } from '../origins.ts';
import type { Layer, Setting } from '../settings.ts';
import { EMBEDDED_DEFAULT } from '../source.ts';
import { isThere, type NamedEntry, namedEntries, resolveEntry, winnerOf } from './merge-named.ts';
import type { NamedSchema } from './read-named.ts';

/**
 * The origin of each value of each entry, including defaults. A removed entry has one origin with the value null; a map
 * without entries has one itself, unless its entries stand directly in the section.
 */
export function namedOrigins(field: ConfigField, layers: readonly Layer[]): FieldOrigin[] {
  const origins = [...namedEntries(field, layers).values()].flatMap((entry) => {
    return isThere(entry) ? entryOrigins(field, entry) : [removedOrigin(entry)];
  });
  if (origins.length > 0 || field.prefix !== field.path) return origins;
  return [{ path: field.path, value: field.default, source: EMBEDDED_DEFAULT, overrode: [] }];
}

function entryOrigins(field: ConfigField, entry: NamedEntry): FieldOrigin[] {
  const result = resolveEntry(field, entry);
  if (!result.success) return [];
  const shape = shapeKeys((field.schema as NamedSchema).valueType)!;
  return Object.keys(shape).flatMap((key) => {
    const builtIn = shape[key]!.safeParse(undefined).data;
    const defaults: Setting[] = builtIn === undefined ? [] : [{ value: builtIn, source: EMBEDDED_DEFAULT }];
    const winner = winnerOf(entry, key);
    const value = result.data[key] ?? null;
    // A key without a setting and without a default is absent.
    if (winner === undefined && value === null) return [];
    const said = winner === undefined ? defaults : [{ ...winner, value }, ...beneath(entry, key), ...defaults];
    return [originOf(`${entry.path}.${key}`, said, factsOf(shape[key])?.secret ?? false)];
  });
}

/** The weaker settings of a key, and the layers that removed the whole entry. */
function beneath({ mentions, settings }: NamedEntry, key: string): Setting[] {
  const [, ...weaker] = settings.get(key)!;
  const removals = mentions.filter(({ value }) => value === null);
  return [...weaker, ...removals].sort((one, other) => other.layer - one.layer);
}

function removedOrigin({ path, mentions, settings }: NamedEntry): FieldOrigin {
  const said = mentions.map(({ value, source, layer }): Setting => {
    const values = [...settings].flatMap(([key, all]) => {
      return all.filter((one) => one.layer === layer).map((one) => [key, one.value] as const);
    });
    return { value: value === null ? null : Object.fromEntries(values), source };
  });
  return originOf(path, said, false);
}
