import { TachoError } from '../protocol/error-code.ts';
import type { FieldTable } from './field-table.ts';
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

export interface ResolvedConfig {
  config: unknown;
  origins: ReadonlyMap<string, FieldOrigin>;
}

/** Lays the layers, weakest first, over the defaults: maps merge, lists and scalars are replaced whole. */
export function resolveLayers(table: FieldTable, layers: readonly Layer[]): ResolvedConfig {
  const config: Record<string, unknown> = {};
  const origins = new Map<string, FieldOrigin>();
  for (const field of table.fields.values()) {
    const settings: Setting[] = [{ value: field.default, source: EMBEDDED_DEFAULT }];
    for (const layer of layers) {
      const setting = layer.get(field.path);
      if (setting !== undefined) settings.unshift(setting);
    }
    place(config, field.path.split('.'), settings[0]!.value);
    const [winner, ...overrode] = field.secret ? settings.map(hideValue) : settings;
    origins.set(field.path, { path: field.path, ...winner!, overrode });
  }
  for (const origin of origins.values()) freezeDeep(origin);
  return { config: freezeDeep(config), origins };
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
