import type { SettingsFrom } from '../../protocol/settings-from.ts';
import type { FieldTable } from '../field-table.ts';
import type { Layer } from '../settings.ts';
import type { HeldBack } from './hold-back.ts';

/** A layer, and what kind of place it comes from. */
export interface PlacedLayer extends Omit<SettingsFrom, 'keys'> {
  layer: Layer;
}

/** Which place each key has its value from, and which files wanted what in vain; places with nothing to tell are left out. */
export function settingsFrom(
  table: FieldTable,
  layers: readonly PlacedLayer[],
  heldBack: readonly HeldBack[],
): SettingsFrom[] {
  const places = [{ from: 'default' } as const, ...layers.map(({ layer: _, ...place }) => place)];
  const keys = places.map((): string[] => []);
  for (const path of table.fields.keys()) keys[layers.findLastIndex(({ layer }) => layer.has(path)) + 1]!.push(path);
  const settled = places.map((place, index): SettingsFrom => ({ ...place, keys: keys[index]! }));
  const ignored = filesOf(heldBack).map(
    ({ file, keys }): SettingsFrom => ({ from: 'workspace_ignored', file, keys: keys.slice() }),
  );
  return [...settled, ...ignored].filter((place) => place.keys.length > 0);
}

/** Which file wants which keys. */
export function filesOf(heldBack: readonly HeldBack[]): { file: string; keys: string[] }[] {
  const files = new Map<string, string[]>();
  for (const { path, source } of heldBack) files.set(source.name, [...(files.get(source.name) ?? []), path]);
  return [...files].map(([file, keys]) => ({ file, keys }));
}
