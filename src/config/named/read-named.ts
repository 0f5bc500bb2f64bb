import type * as z from 'zod';
import { checkValue, shapeKeys, unknownPart } from '../check-value.ts';
import type { ConfigField } from '../field-table.ts';
import { joinPath } from '../key-path.ts';
import { type ConfigProblem, invalid, quote } from '../problem.ts';
import type { Setting } from '../settings.ts';
import { eachKey, isEmptySection, type Located, type LocatedEntry, showValue } from '../sources/located.ts';

/** Limits a run's record, which names every entry set in a file. */
const MAX_ENTRIES = 256;

/** The schema of a map of named entries, with its parts. */
export type NamedSchema = z.ZodRecord<z.ZodString, z.ZodObject>;

interface Reading {
  layer: Map<string, Setting>;
  problems: ConfigProblem[];
}

/**
 * Reads a map of named entries value by value, because each may be set in another layer. Whether an entry is complete
 * is known only after the layers are merged.
 */
export function readNamedMap(field: ConfigField, located: Located, reading: Reading): void {
  if (isEmptySection(located)) return;
  const { problems } = reading;
  const must = `${field.prefix} must be ${field.facts.accepts}`;
  if (located.kind !== 'map') {
    problems.push(invalid(located.source, `${must}, not ${showValue(located)}`, field.path));
    return;
  }
  if (hasTooMany(located, field.path, problems)) return;
  eachKey(located, problems, (name, entry) => readNamedEntry(field, name, entry, reading));
}

/** Reads one entry of a map, whose name is not checked yet. */
export function readNamedEntry(field: ConfigField, name: string, entry: LocatedEntry, reading: Reading): void {
  const wrongName = (field.schema as NamedSchema).keyType.safeParse(name).error?.issues[0];
  if (wrongName === undefined) {
    readNamed(field, name, { entry, ...reading });
    return;
  }
  const complaint = `${field.prefix}: invalid name ${quote(name)}: ${wrongName.message}`;
  reading.problems.push(invalid(entry.key.source, complaint));
}

/** Whether a map has more entries than the limit, which is then a problem. */
export function hasTooMany(
  { entries, source }: Extract<Located, { kind: 'map' }>,
  path: string,
  problems: ConfigProblem[],
): boolean {
  if (entries.length <= MAX_ENTRIES) return false;
  problems.push(invalid(source, `${path} has more than ${MAX_ENTRIES} entries`, path));
  return true;
}

function readNamed(
  field: ConfigField,
  name: string,
  { entry, layer, problems }: Reading & { entry: LocatedEntry },
): void {
  const path = joinPath(...field.prefix.split('.'), name);
  const { value } = entry;
  const schema = (field.schema as NamedSchema).valueType;
  const shape = shapeKeys(schema)!;
  if (isEmptySection(value)) {
    layer.set(path, { value: null, source: entry.key.source });
    return;
  }
  if (value.kind !== 'map') {
    const keys = Object.keys(shape).join(', ');
    problems.push(
      invalid(value.source, `${path} must be a map with keys from: ${keys}; or null; not ${showValue(value)}`, path),
    );
    return;
  }
  layer.set(path, { value: {}, source: entry.key.source });
  eachKey(value, problems, (key, { key: written, value: said }) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined) problems.push(unknownPart(key, { path, schema, located: value }));
    else if (isEmptySection(said)) layer.set(`${path}.${key}`, { value: null, source: written.source });
    else {
      const checked = checkValue(known, `${path}.${key}`, said, problems);
      if (checked !== undefined) layer.set(`${path}.${key}`, { ...checked, source: written.source });
    }
  });
}
