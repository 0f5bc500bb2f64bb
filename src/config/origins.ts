import { TachoError } from '../protocol/error-code.ts';
import type { ConfigField, FieldTable } from './field-table.ts';
import { freezeDeep } from './freeze-deep.ts';
import { nearestPath } from './nearest-key.ts';
import { quote } from './problem.ts';
import type { Layer, Setting } from './settings.ts';
import { type ConfigSource, EMBEDDED_DEFAULT } from './source.ts';

/** Stands for the value of a secret field wherever origins are handed out. */
export const SECRET_IS_SET = '‹set›';

/** Why a field has its value. A secret shows as `‹set›` here; its value is in the configuration only. */
export interface FieldOrigin {
  path: string;
  value: unknown;
  source: ConfigSource;
  /** What it won over, the strongest first; ends with the embedded default unless that is what won. */
  overrode: readonly { value: unknown; source: ConfigSource }[];
}

/** Lays the layers, weakest first, over the defaults: maps merge, lists and scalars are replaced whole. */
export function resolveConfig(table: FieldTable, layers: readonly Layer[]): unknown {
  const config: Record<string, unknown> = {};
  for (const field of table.fields.values()) {
    place(config, field.path.split('.'), settingsOf(field, layers)[0].value);
  }
  return freezeDeep(config);
}

/** Why each field has its value, in the order of the table. */
export function resolveOrigins(table: FieldTable, layers: readonly Layer[]): ReadonlyMap<string, FieldOrigin> {
  const origins = new Map<string, FieldOrigin>();
  for (const field of table.fields.values()) {
    const settings = settingsOf(field, layers);
    const [winner, ...overrode] = field.facts.secret ? settings.map(hideValue) : settings;
    origins.set(field.path, freezeDeep({ path: field.path, ...winner!, overrode }));
  }
  return origins;
}

/** All that was said about a field, the strongest first. */
function settingsOf(field: ConfigField, layers: readonly Layer[]): [Setting, ...Setting[]] {
  const settings: [Setting, ...Setting[]] = [{ value: field.default, source: EMBEDDED_DEFAULT }];
  for (const layer of layers) {
    const setting = layer.get(field.path);
    if (setting !== undefined) settings.unshift(setting);
  }
  return settings;
}

/** The origin of a field; throws when there is no such field. */
export function findOrigin(origins: ReadonlyMap<string, FieldOrigin>, table: FieldTable, path: string): FieldOrigin {
  const origin = origins.get(path);
  if (origin !== undefined) return origin;
  const keys = table.sections.get(path);
  const suggestion = nearestPath(table, '', path);
  const help =
    keys !== undefined
      ? `it is a section with ${keys.join(', ')}`
      : suggestion === undefined
        ? `sections are ${table.sections.get('')!.join(', ')}`
        : `did you mean ${suggestion}?`;
  throw new TachoError('CONFIG_UNKNOWN_KEY', `no configuration field is called ${quote(path)}; ${help}`, {
    facts: { path, ...(suggestion === undefined ? {} : { suggestion }) },
  });
}

function hideValue(setting: Setting): Setting {
  return setting.value === null ? setting : { value: SECRET_IS_SET, source: setting.source };
}

function place(target: Record<string, unknown>, keys: string[], value: unknown): void {
  const [key, ...rest] = keys as [string, ...string[]];
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const section = (target[key] ?? {}) as Record<string, unknown>;
  target[key] = section;
  place(section, rest, value);
}
