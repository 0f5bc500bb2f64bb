import type { ConfigField, FieldTable } from './field-table.ts';
import { nearestPath } from './nearest-key.ts';
import { type ConfigProblem, enough, invalid, quote } from './problem.ts';
import { type ConfigSource, formatSource } from './source.ts';
import { type Located, type LocatedEntry, plainValue, showValue } from './sources/located.ts';

/** A checked value of one field, and where it was set. */
export interface Setting {
  value: unknown;
  source: ConfigSource;
}

/** What one source says, by path of the field. Layers are laid over each other; the later one wins, field by field. */
export type Layer = ReadonlyMap<string, Setting>;

/** Checks a map of sections against the schema; what is wrong is added to `problems`. */
export function readLayer(root: Located, table: FieldTable, problems: ConfigProblem[]): Layer {
  const layer = new Map<string, Setting>();
  readSection(root, '', { table, problems, layer });
  return layer;
}

/** The checked value in a box, or nothing after adding to `problems`. */
export function readValue(
  field: ConfigField,
  located: Located,
  problems: ConfigProblem[],
): { value: unknown } | undefined {
  const result = field.schema.safeParse(plainValue(located));
  if (result.success) return { value: result.data };
  const issue = result.error.issues[0];
  const must = `${field.path} must be ${field.facts.accepts}`;
  const reason: unknown = issue?.code === 'custom' ? issue.params?.reason : undefined;
  const index = issue?.path[0];
  if (field.facts.secret) problems.push(invalid(located.source, must, field.path));
  else if (field.facts.kind === 'map' && issue && issue.path.length > 0) {
    const where = `${field.path}.${issue.path.join('.')}`;
    problems.push(invalid(located.source, `${where}: ${reason ?? issue.message}; ${must}`, field.path));
  } else if (reason !== undefined) problems.push(invalid(located.source, `${must}: ${reason}`, field.path));
  else if (located.kind === 'list' && typeof index === 'number') {
    const item = located.items[index]!;
    const hint = item.kind === 'scalar' && typeof item.value !== 'string' ? '; quotes would make it text' : '';
    problems.push(invalid(item.source, `${must}, but item ${index + 1} is ${showValue(item)}${hint}`, field.path));
  } else problems.push(invalid(located.source, `${must}, not ${showValue(located)}`, field.path));
  return undefined;
}

interface Reading {
  table: FieldTable;
  problems: ConfigProblem[];
  layer: Map<string, Setting>;
}

function readSection(section: Located, path: string, reading: Reading): void {
  // A section whose lines are all commented out is null in YAML, and meant to be empty.
  if (section.kind === 'scalar' && section.value === null) return;
  if (section.kind !== 'map') {
    const keys = reading.table.sections.get(path)!.join(', ');
    const subject = path === '' ? 'a configuration' : path;
    reading.problems.push(
      invalid(section.source, `${subject} must be a map with keys from: ${keys}; not ${showValue(section)}`),
    );
    return;
  }
  const seen = new Map<string, ConfigSource>();
  for (const entry of section.entries) {
    if (enough(reading.problems)) return;
    const { key } = entry;
    if (key.kind !== 'scalar' || typeof key.value !== 'string') {
      reading.problems.push(invalid(key.source, `a key must be text, not ${showValue(key)}`));
      continue;
    }
    const first = seen.get(key.value);
    if (first !== undefined) {
      reading.problems.push(invalid(key.source, `${quote(key.value)} is set twice; first at ${formatSource(first)}`));
      continue;
    }
    seen.set(key.value, key.source);
    readEntry(entry, key.value, path, reading);
  }
}

function readEntry(entry: LocatedEntry, key: string, section: string, reading: Reading): void {
  const path = section === '' ? key : `${section}.${key}`;
  // `recording.level: full` at the top would look like the path of a field, which it is not.
  const isDirectChild = reading.table.sections.get(section)!.includes(key);
  const field = reading.table.fields.get(path);
  if (isDirectChild && field !== undefined) {
    const checked = readValue(field, entry.value, reading.problems);
    if (checked !== undefined) reading.layer.set(path, { value: checked.value, source: entry.key.source });
  } else if (isDirectChild) readSection(entry.value, path, reading);
  else reading.problems.push(unknownKey(entry.key.source, { table: reading.table, section, key, path }));
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

/** As it is when it looks like a path, else in quotes. */
function quotePath(path: string): string {
  return /^[\w.-]{1,80}$/.test(path) ? path : quote(path);
}
