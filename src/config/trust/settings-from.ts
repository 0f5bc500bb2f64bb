import type { SettingsFrom } from '../../protocol/settings-from.ts';
import { entryPathOf, type FieldTable } from '../field-table.ts';
import { isThere, type NamedEntry, namedEntries, winnerOf } from '../named/merge-named.ts';
import type { Layer } from '../settings.ts';
import type { HeldBack } from './hold-back.ts';

/** A layer with the kind of its place. */
export interface PlacedLayer extends Omit<SettingsFrom, 'keys'> {
  layer: Layer;
}

/** The place that each key gets its value from, and the ignored keys of each file; omits places without keys. */
export function settingsFrom(
  table: FieldTable,
  layers: readonly PlacedLayer[],
  heldBack: readonly HeldBack[],
): SettingsFrom[] {
  const places = [{ from: 'default' } as const, ...layers.map(({ layer: _, ...place }) => place)];
  const keys = places.map((): string[] => []);
  const maps = layers.map(({ layer }) => layer);
  for (const field of table.fields.values()) {
    const entries = field.isMap ? [...namedEntries(field, maps).values()] : [];
    for (const entry of entries) for (const layer of contributors(entry)) keys[layer + 1]!.push(entry.path);
    if (entries.length > 0 || field.prefix !== field.path) continue;
    keys[layers.findLastIndex(({ layer }) => layer.has(field.path)) + 1]!.push(field.path);
  }
  const settled = places.map((place, index): SettingsFrom => ({ ...place, keys: keys[index]! }));
  const ignored = filesOf(heldBack).map(
    ({ file, keys }): SettingsFrom => ({ from: 'workspace_ignored', file, keys: keys.slice() }),
  );
  return [...settled, ...ignored].filter((place) => place.keys.length > 0);
}

/** The layers that decide on a named entry: those that remove it, or set an effective value. */
function contributors(entry: NamedEntry): Set<number> {
  const winners = [...entry.settings.keys()].map((key) => winnerOf(entry, key)?.layer);
  const deciding = isThere(entry) ? winners : [entry.removedBy];
  const found = deciding.filter((layer) => layer !== undefined);
  return new Set(found.length > 0 ? found : [entry.mentions[0]!.layer]);
}

/** The held-back keys of each file; for named entries only their names, since they may have many values. */
export function filesOf(heldBack: readonly HeldBack[]): { file: string; keys: string[] }[] {
  const files = new Map<string, string[]>();
  for (const { path, source } of heldBack) {
    files.set(source.name, [...(files.get(source.name) ?? []), entryPathOf(path)]);
  }
  return [...files].map(([file, keys]) => ({ file, keys: [...new Set(keys)] }));
}
