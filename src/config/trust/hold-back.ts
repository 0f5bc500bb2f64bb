import { isDeepStrictEqual } from 'node:util';
import { DEFAULTS } from '../defaults.ts';
import { configFields, fieldOf, mapOf } from '../field-table.ts';
import { resolveConfig } from '../origins.ts';
import type { Config } from '../schema.ts';
import type { Layer, Setting } from '../settings.ts';
import { formatSource } from '../source.ts';
import { type ConfigPath, KEY_CLASSES } from './key-classes.ts';
import { withValue } from './list-items.ts';
import type { PlacedLayer } from './settings-from.ts';

/** A setting in a workspace file that does not take full effect unless the file is trusted. */
export interface HeldBack extends Setting {
  path: string;
}

/** The layers in effect while the workspace is not trusted, and the settings held back from its files. */
export function holdBack(wanted: readonly PlacedLayer[]): { places: PlacedLayer[]; heldBack: HeldBack[] } {
  if (wanted.every((place) => isOwn(place) || place.layer.size === 0)) return { places: [...wanted], heldBack: [] };
  const base = withoutWorkspace(wanted);
  const heldBack: HeldBack[] = [];
  const places = wanted.map((place, index): PlacedLayer => {
    if (isOwn(place)) return place;
    const stronger = wanted.slice(index + 1).filter(isOwn);
    const split = splitLayer(place.layer, base, (path) => stronger.some(({ layer }) => layer.has(path)));
    heldBack.push(...split.heldBack);
    const { sha256: _, ...rest } = place;
    return { ...rest, from: 'workspace_untrusted', layer: split.applied };
  });
  return { places, heldBack };
}

/** Everything that trust would allow, even if other settings override it today. */
export function allThatTrustAllows(wanted: readonly PlacedLayer[]): HeldBack[] {
  const bases = [DEFAULTS, withoutWorkspace(wanted)];
  const layers = wanted.filter((place) => !isOwn(place)).map(({ layer }) => layer);
  const all = layers.flatMap((layer) => bases.flatMap((base) => splitLayer(layer, base, () => false).heldBack));
  return [...new Map(all.map((one) => [`${formatSource(one.source)} ${one.path}`, one])).values()];
}

function isOwn({ from }: PlacedLayer): boolean {
  return from !== 'workspace_trusted';
}

function withoutWorkspace(wanted: readonly PlacedLayer[]): Config {
  const own = wanted.filter(isOwn).map(({ layer }) => layer);
  return resolveConfig(configFields, own) as Config;
}

/** A path that a stronger layer of the user sets needs no trust, since the weaker value has no effect. */
function splitLayer(layer: Layer, base: Config, isOverridden: (path: string) => boolean) {
  const applied = new Map<string, Setting>();
  const heldBack: HeldBack[] = [];
  for (const [path, setting] of layer) {
    const value = isOverridden(path) ? setting.value : allowed(path, setting.value, base);
    if (value !== undefined) applied.set(path, withValue(setting, value));
    if (!isDeepStrictEqual(value, setting.value)) heldBack.push({ path, ...setting });
  }
  return { applied, heldBack: heldBack.filter((one) => !isOnlyNamed(one, heldBack)) };
}

/** A mention of a named entry is implied by the values listed for it. */
function isOnlyNamed({ path, value }: HeldBack, all: readonly HeldBack[]): boolean {
  if (value === null || mapOf(configFields, path)?.entryOf(path)?.key !== undefined) return false;
  return all.some((other) => other.path.startsWith(`${path}.`));
}

function allowed(path: string, wanted: unknown, base: Config): unknown {
  const field = fieldOf(configFields, path)!;
  const entry = field.entryOf(path);
  const within = entry === undefined ? [] : [entry.name, ...(entry.key === undefined ? [] : [entry.key])];
  const keys = [...field.path.split('.'), ...within];
  const current = keys.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)?.[name], base);
  // A setting that changes nothing needs no trust; for a named entry, compare only whether it is present.
  const isSame =
    within.length === 1 ? (wanted === null) === (current === undefined) : isDeepStrictEqual(wanted, current);
  if (isSame) return wanted;
  // Every key has a class; if one had none, treat it as the most dangerous.
  const kind = KEY_CLASSES[field.path as ConfigPath] ?? 'needs_trust';
  if (typeof kind === 'function') return kind(wanted, base);
  if (typeof kind === 'object') return (wanted as number) <= kind.harmlessUpTo ? wanted : undefined;
  return kind === 'harmless' ? wanted : undefined;
}
