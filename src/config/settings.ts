import { checkValue, type SettingPart } from './check-value.ts';
import type { ConfigField, FieldTable } from './field-table.ts';
import { hasTooMany, readNamedEntry, readNamedMap } from './named/read-named.ts';
import { nearestPath } from './nearest-key.ts';
import { type ConfigProblem, invalid, quotePath } from './problem.ts';
import { type ConfigSource, formatSource } from './source.ts';
import { eachKey, isEmptySection, type Located, type LocatedEntry, showValue } from './sources/located.ts';

/** A checked value of one field, and where it was set. */
export interface Setting {
  value: unknown;
  source: ConfigSource;
  /** For a list of maps: where each of its values was set. */
  parts?: readonly SettingPart[];
}

/**
 * The settings of one source, by path. Later layers override earlier ones, path by path. A map of named entries is
 * flat: `targets.ssh.build` adds ({}) or removes (null) the entry, `targets.ssh.build.port` sets one of its values, and
 * null there removes what weaker layers set.
 */
export type Layer = ReadonlyMap<string, Setting>;

/** Checks a map of sections against the schema; adds problems to `problems`. */
export function readLayer(root: Located, table: FieldTable, problems: ConfigProblem[]): Layer {
  const layer = new Map<string, Setting>();
  readSection(root, '', { table, problems, layer });
  return layer;
}

/** Checks the value of one field; `source` is the place of its key. */
export function readField(
  field: ConfigField,
  { value, source }: { value: Located; source: ConfigSource },
  { layer, problems }: { layer: Map<string, Setting>; problems: ConfigProblem[] },
): void {
  if (field.isMap) {
    readNamedMap(field, value, { layer, problems });
    return;
  }
  const checked = checkValue(field.schema, field.path, value, problems);
  if (checked !== undefined) layer.set(field.path, { ...checked, source });
}

interface Reading {
  table: FieldTable;
  problems: ConfigProblem[];
  layer: Map<string, Setting>;
}

function readSection(section: Located, path: string, reading: Reading): void {
  if (isEmptySection(section)) return;
  if (section.kind !== 'map') {
    const keys = reading.table.sections.get(path)!.join(', ');
    const subject = path === '' ? 'a configuration' : path;
    reading.problems.push(
      invalid(section.source, `${subject} must be a map with keys from: ${keys}; not ${showValue(section)}`),
    );
    return;
  }
  if (mapIn(path, reading) !== undefined && hasTooMany(section, path, reading.problems)) return;
  eachKey(section, reading.problems, (key, entry) => readEntry(entry, key, path, reading));
}

function readEntry(entry: LocatedEntry, key: string, section: string, reading: Reading): void {
  const path = section === '' ? key : `${section}.${key}`;
  // `recording.level: full` at the top would look like the path of a field, but is invalid.
  const isDirectChild = reading.table.sections.get(section)!.includes(key);
  const field = reading.table.fields.get(path);
  if (isDirectChild && field !== undefined) {
    readField(field, { value: entry.value, source: entry.key.source }, reading);
  } else if (isDirectChild) readSection(entry.value, path, reading);
  else if (isNamedEntry(entry, path, section, reading)) readNamedEntry(mapIn(section, reading)!, key, entry, reading);
  else reading.problems.push(unknownKey(entry.key.source, { table: reading.table, section, key, path }));
}

/** The map whose entries stand in this section, beside its keys. */
function mapIn(section: string, { table }: Reading): ConfigField | undefined {
  return [...table.fields.values()].find(({ isMap, prefix }) => isMap && prefix === section);
}

/** A map, or the null that removes one; a null that looks like a misspelled key of the section is one. */
function isNamedEntry({ value }: LocatedEntry, path: string, section: string, reading: Reading): boolean {
  if (mapIn(section, reading) === undefined) return false;
  if (value.kind === 'map') return true;
  return isEmptySection(value) && !isMisspelled(path, section, reading);
}

function isMisspelled(path: string, section: string, { table }: Reading): boolean {
  return nearestPath(table, section, path.slice(section.length + 1))?.startsWith(`${section}.`) ?? false;
}

function unknownKey(
  source: ConfigSource,
  unknown: { table: FieldTable; section: string; key: string; path: string },
): ConfigProblem {
  const { table, section, key, path } = unknown;
  const suggestion = nearestPath(table, section, key);
  const known = table.sections.get(section)!.join(', ');
  const help =
    suggestion === undefined
      ? `known here: ${known}`
      : suggestion === path
        ? `keys are nested: write ${suggestion.replaceAll('.', ': {')}: …${'}'.repeat(suggestion.split('.').length - 1)}`
        : `did you mean ${suggestion}?`;
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    message: `${formatSource(source)}: unknown key ${quotePath(path)}; ${help}`,
    source,
    path,
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}
