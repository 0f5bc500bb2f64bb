import type * as z from 'zod';
import { missingParts } from '../check-value.ts';
import type { ConfigField, FieldTable } from '../field-table.ts';
import { joinPath } from '../key-path.ts';
import { type ConfigProblem, enough } from '../problem.ts';
import type { Layer, Setting } from '../settings.ts';
import type { NamedSchema } from './read-named.ts';

/** A setting with the index of its layer; 0 is the weakest. */
export interface LayeredSetting extends Setting {
  layer: number;
}

/** The settings of one named entry from all layers. */
export interface NamedEntry {
  path: string;
  name: string;
  /** Whether it is present ({}) or removed (null), strongest first. */
  mentions: LayeredSetting[];
  /** Settings by key, strongest first. */
  settings: Map<string, LayeredSetting[]>;
  /** The strongest layer that removes it, which hides weaker layers; -1 if none. */
  removedBy: number;
}

/** The entries of a map over all layers, weakest first; includes removed ones. */
export function namedEntries(field: ConfigField, layers: readonly Layer[]): Map<string, NamedEntry> {
  const entries = new Map<string, NamedEntry>();
  for (const [index, layer] of layers.entries()) {
    for (const [path, setting] of layer) {
      const place = field.entryOf(path);
      if (place === undefined) continue;
      const { name, key } = place;
      const entry = entries.get(name) ?? newEntry(field, name);
      entries.set(name, entry);
      const layered = { ...setting, layer: index };
      if (key !== undefined) entry.settings.set(key, [layered, ...(entry.settings.get(key) ?? [])]);
      else entry.mentions.unshift(layered);
      if (key === undefined && setting.value === null) entry.removedBy = index;
    }
  }
  return entries;
}

/** Whether no layer removes it, or a stronger layer adds it again. */
export function isThere({ mentions, removedBy }: NamedEntry): boolean {
  return mentions.some(({ layer }) => layer > removedBy);
}

/** The strongest setting of a key, unless it was removed with the entry. */
export function winnerOf(entry: NamedEntry, key: string): LayeredSetting | undefined {
  const [strongest] = entry.settings.get(key) ?? [];
  return strongest !== undefined && strongest.layer > entry.removedBy ? strongest : undefined;
}

/** The entry with its defaults; fails when it is incomplete. */
export function resolveEntry(field: ConfigField, entry: NamedEntry): z.ZodSafeParseResult<Record<string, unknown>> {
  const values: [string, unknown][] = [];
  for (const key of entry.settings.keys()) {
    const value = winnerOf(entry, key)?.value ?? null;
    if (value !== null) values.push([key, value]);
  }
  return (field.schema as NamedSchema).valueType.safeParse(Object.fromEntries(values));
}

/** The map of all present entries. Leaves out incomplete ones, which `reportIncomplete` reports. */
export function resolveNamed(field: ConfigField, layers: readonly Layer[]): Record<string, unknown> {
  const resolved: [string, unknown][] = [];
  for (const entry of namedEntries(field, layers).values()) {
    const result = isThere(entry) ? resolveEntry(field, entry) : undefined;
    if (result?.success) resolved.push([entry.name, result.data]);
  }
  return Object.fromEntries(resolved);
}

/** Reports entries that are incomplete after merging all layers, each at its strongest mention. */
export function reportIncomplete(table: FieldTable, layers: readonly Layer[], problems: ConfigProblem[]): void {
  for (const field of table.fields.values()) {
    if (!field.isMap) continue;
    for (const entry of namedEntries(field, layers).values()) {
      const issues = isThere(entry) ? resolveEntry(field, entry).error?.issues : undefined;
      if (issues === undefined || enough(problems)) continue;
      const { valueType: schema } = field.schema as NamedSchema;
      problems.push(...missingParts(issues, { schema, path: entry.path, source: entry.mentions[0]!.source }));
    }
  }
}

function newEntry(field: ConfigField, name: string): NamedEntry {
  const path = joinPath(...field.prefix.split('.'), name);
  return { path, name, mentions: [], settings: new Map(), removedBy: -1 };
}
