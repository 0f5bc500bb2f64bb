import type * as z from 'zod';
import { TachoError } from '../protocol/error-code.ts';
import { factsOf, shapeKeys } from './check-value.ts';
import type { FieldFacts } from './field.ts';
import { type ConfigField, configFields, type FieldTable, mapOf } from './field-table.ts';
import { joinPath, splitPath } from './key-path.ts';
import type { NamedSchema } from './named/read-named.ts';
import { nearest, nearestPath } from './nearest-key.ts';
import type { FieldOrigin } from './origins.ts';
import { quote } from './problem.ts';
import { EMBEDDED_DEFAULT } from './source.ts';

/** The meaning of a typed path. */
export interface ConfigKey {
  /** In its canonical form; '' is the whole configuration. */
  path: string;
  /** Undefined for a section. */
  field?: ConfigField;
  /** The name of the entry in a map of named entries. */
  entry?: string;
  /** Set for a single value: a field, or a value of an entry. */
  value?: { schema: z.ZodType; facts: FieldFacts | undefined };
}

/**
 * Finds a section, a field, an entry of a map or a value of an entry; does not check that the entry exists. A name with
 * dots needs no quotes if it is unambiguous. Throws CONFIG_UNKNOWN_KEY.
 */
export function findConfigKey(path: string): ConfigKey {
  const table = configFields;
  if (table.sections.has(path)) return { path };
  const field = table.fields.get(path);
  if (field?.isMap) return { path, field };
  if (field !== undefined) return { path, field, value: { schema: field.schema, facts: field.facts } };
  const map = mapOf(table, path);
  if (map === undefined || isMisspelledKey(table, map, path)) throw unknownKey(table, path);
  return keyInMap(map, splitPath(path.slice(map.prefix.length + 1)));
}

/** `engines.foldr`: more likely a key of the section than the name of an entry beside its keys. */
function isMisspelledKey(table: FieldTable, { path: own, prefix }: ConfigField, path: string): boolean {
  const parts = splitPath(path);
  if (own === prefix || parts.length !== 2) return false;
  return nearestPath(table, prefix, parts[1]!)?.startsWith(`${prefix}.`) ?? false;
}

function keyInMap(field: ConfigField, parts: string[]): ConfigKey {
  const at = (...within: string[]) => joinPath(...field.prefix.split('.'), ...within);
  const { keyType, valueType } = field.schema as NamedSchema;
  const shape = shapeKeys(valueType)!;
  const last = parts.at(-1)!;
  const before = parts.slice(0, -1).join('.');
  if (before !== '' && Object.hasOwn(shape, last)) {
    const schema = shape[last]!;
    return { path: at(before, last), field, entry: before, value: { schema, facts: factsOf(schema) } };
  }
  const words = Object.keys(shape).map((word) => ({ word }));
  const near = before === '' ? undefined : nearest(last.toLowerCase(), words)?.word;
  const entry = parts.join('.');
  const wrongName = keyType.safeParse(entry).error?.issues[0]?.message;
  if (near === undefined && wrongName === undefined) return { path: at(entry), field, entry };
  const help = near === undefined ? `invalid name ${quote(entry)}: ${wrongName}` : `did you mean ${at(before, near)}?`;
  throw new TachoError('CONFIG_UNKNOWN_KEY', `unknown key ${quote(at(...parts))}; ${help}`, {
    facts: { path: at(...parts), ...(near === undefined ? {} : { suggestion: at(before, near) }) },
  });
}

/** The origins of everything at or below a key. Throws CONFIG_UNKNOWN_KEY for a missing entry. */
export function originsBelow(origins: readonly FieldOrigin[], { path, field, entry, value }: ConfigKey): FieldOrigin[] {
  const found = origins.filter((origin) => path === '' || `${origin.path}.`.startsWith(`${path}.`));
  if (found.length > 0 || field === undefined || entry === undefined) return found;
  const names = new Set(origins.flatMap((one) => field.entryOf(one.path)?.name ?? []));
  if (names.has(entry) && value !== undefined) return [{ path, value: null, source: EMBEDDED_DEFAULT, overrode: [] }];
  const suggestion = nearest(
    entry,
    [...names].map((word) => ({ word })),
  )?.word;
  const help = names.size === 0 ? 'it is empty' : `it has ${[...names].join(', ')}`;
  throw new TachoError('CONFIG_UNKNOWN_KEY', `${field.prefix} has no entry ${quote(entry)}; ${help}`, {
    facts: {
      path,
      ...(suggestion === undefined ? {} : { suggestion: joinPath(...field.prefix.split('.'), suggestion) }),
    },
  });
}

export function unknownKey(table: FieldTable, path: string): TachoError {
  const keys = table.sections.get(path);
  const suggestion = nearestPath(table, '', path);
  const help =
    keys !== undefined
      ? `it is a section with ${keys.join(', ')}`
      : suggestion === undefined
        ? `sections are ${table.sections.get('')!.join(', ')}`
        : `did you mean ${suggestion}?`;
  return new TachoError('CONFIG_UNKNOWN_KEY', `no configuration field is called ${quote(path)}; ${help}`, {
    facts: { path, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}
