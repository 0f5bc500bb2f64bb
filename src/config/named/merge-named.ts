import type * as z from 'zod';
import { missingParts } from '../check-value.ts';
import type { ConfigField, FieldTable } from '../field-table.ts';
import { joinPath, splitPath } from '../key-path.ts';
import { type ConfigProblem, enough } from '../problem.ts';
import type { Layer, Setting } from '../settings.ts';
import type { NamedSchema } from './read-named.ts';

/** A setting, and the layer that made it; 0 is the weakest. */
export interface LayeredSetting extends Setting {
  layer: number;
}

/** All that layers say about one named thing. */
export interface NamedEntry {
  path: string;
  name: string;
  /** That it is there ({}) or removed (null), the strongest first. */
  mentions: LayeredSetting[];
  /** By key, what was said about it, the strongest first. */
  settings: Map<string, LayeredSetting[]>;
  /** The strongest layer that removes it, which ends what weaker ones say; -1 when none does. */
  removedBy: number;
}

/** The entries of a map over all layers, weakest first; those that are removed are among them. */
export function namedEntries(field: ConfigField, layers: readonly Layer[]): Map<string, NamedEntry> {
  const entries = new Map<string, NamedEntry>();
  for (const [index, layer] of layers.entries()) {
    for (const [path, setting] of layer) {
      if (!path.startsWith(`${field.path}.`)) continue;
      const [, , name, key] = splitPath(path) as [string, string, string, string | undefined];
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

/** Whether a layer above the one that removed it has it again, or none removes it. */
export function isThere({ mentions, removedBy }: NamedEntry): boolean {
  return mentions.some(({ layer }) => layer > removedBy);
}

/** The strongest setting of a key, unless what removed the entry removed it too. */
export function winnerOf(entry: NamedEntry, key: string): LayeredSetting | undefined {
  const [strongest] = entry.settings.get(key) ?? [];
  return strongest !== undefined && strongest.layer > entry.removedBy ? strongest : undefined;
}

/** The entry with its defaults; failed when it lacks something. */
export function resolveEntry(field: ConfigField, entry: NamedEntry): z.ZodSafeParseResult<Record<string, unknown>> {
  const values: [string, unknown][] = [];
  for (const key of entry.settings.keys()) {
    const value = winnerOf(entry, key)?.value ?? null;
    if (value !== null) values.push([key, value]);
  }
  return (field.schema as NamedSchema).valueType.safeParse(Object.fromEntries(values));
}

/** The map of all entries that are there. One that lacks something is left out: `incompleteEntries` tells of it. */
export function resolveNamed(field: ConfigField, layers: readonly Layer[]): Record<string, unknown> {
  const resolved: [string, unknown][] = [];
  for (const entry of namedEntries(field, layers).values()) {
    const result = isThere(entry) ? resolveEntry(field, entry) : undefined;
    if (result?.success) resolved.push([entry.name, result.data]);
  }
  return Object.fromEntries(resolved);
}

/** Entries that lack a value after all layers were merged, each at the place that mentions it last. */
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
  const path = joinPath(...field.path.split('.'), name);
  return { path, name, mentions: [], settings: new Map(), removedBy: -1 };
}
