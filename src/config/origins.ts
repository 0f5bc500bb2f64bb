import type { SettingPart } from './check-value.ts';
import type { ConfigField, FieldTable } from './field-table.ts';
import { freezeDeep } from './freeze-deep.ts';
import { resolveNamed } from './named/merge-named.ts';
import { namedOrigins } from './named/named-origins.ts';
import type { Layer, Setting } from './settings.ts';
import { type ConfigSource, EMBEDDED_DEFAULT } from './source.ts';

/** Replaces the value of a secret field in origins. */
export const SECRET_IS_SET = '‹set›';

/**
 * The origin of a field's value, or of a value in a named entry. A secret appears as `‹set›`; only the configuration
 * has its value.
 */
export interface FieldOrigin {
  path: string;
  value: unknown;
  source: ConfigSource;
  /** Overridden settings, strongest first; ends with the default unless that is in effect. */
  overrode: readonly { value: unknown; source: ConfigSource }[];
  /** For a list of maps in a file: where each of its values was set. */
  parts?: readonly SettingPart[];
}

/**
 * Applies the layers, weakest first, to the defaults: sections and maps of named entries merge, lists and single values
 * are replaced.
 */
export function resolveConfig(table: FieldTable, layers: readonly Layer[]): unknown {
  const config: Record<string, unknown> = {};
  for (const field of table.fields.values()) {
    const value = field.isMap ? resolveNamed(field, layers) : settingsOf(field, layers)[0].value;
    place(config, field.path.split('.'), value);
  }
  return freezeDeep(config);
}

/** The origin of each field, in the order of the table; for a map of named entries, one per value of each entry. */
export function resolveOrigins(table: FieldTable, layers: readonly Layer[]): ReadonlyMap<string, FieldOrigin> {
  const origins = new Map<string, FieldOrigin>();
  for (const field of table.fields.values()) {
    const found = field.isMap
      ? namedOrigins(field, layers)
      : [originOf(field.path, settingsOf(field, layers), field.facts.secret)];
    for (const origin of found) origins.set(origin.path, freezeDeep(origin));
  }
  return origins;
}

/** `settings` are all settings of the field, strongest first. */
export function originOf(path: string, settings: readonly Setting[], secret: boolean): FieldOrigin {
  const [winner, ...overrode] = settings.map(({ value, source }) => ({
    value: secret && value !== null ? SECRET_IS_SET : value,
    source,
  }));
  const parts = secret ? undefined : settings[0]?.parts;
  return { path, ...winner!, overrode, ...(parts === undefined ? {} : { parts }) };
}

/** All settings of a field, strongest first. */
function settingsOf(field: ConfigField, layers: readonly Layer[]): [Setting, ...Setting[]] {
  const settings: [Setting, ...Setting[]] = [{ value: field.default, source: EMBEDDED_DEFAULT }];
  for (const layer of layers) {
    const setting = layer.get(field.path);
    if (setting !== undefined) settings.unshift(setting);
  }
  return settings;
}

/** Puts a value into a tree of maps at the path `keys`. */
export function place(target: Record<string, unknown>, keys: string[], value: unknown): void {
  const [key, ...rest] = keys as [string, ...string[]];
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const section = (target[key] ?? {}) as Record<string, unknown>;
  target[key] = section;
  place(section, rest, value);
}
