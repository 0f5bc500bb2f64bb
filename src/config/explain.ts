import { type ConfigKey, findConfigKey, originsBelow } from './find-key.ts';
import { type FieldOrigin, SECRET_IS_SET } from './origins.ts';
import type { LoadedConfig } from './overlays.ts';
import { printable } from './problem.ts';
import { formatSource } from './source.ts';
import type { HeldBack } from './trust/hold-back.ts';

interface Ignored extends HeldBack {
  /** Completes the sentence. */
  why: string;
}

/**
 * Lines such as `recording.level = "full" ← config/tacho.yaml:12:3 (over default)`: all fields, those of a
 * section, a map or an entry, or one field with its description. Throws CONFIG_UNKNOWN_KEY for any other path.
 */
export function explainConfig(loaded: LoadedConfig, path = ''): string[] {
  const key = findConfigKey(path);
  const { trusted, needsTrust } = loaded.workspace;
  const isAskedFor = (one: HeldBack) => key.path === '' || `${one.path}.`.startsWith(`${key.path}.`);
  const untrusted = (trusted ? [] : needsTrust).map((one) => ({ ...one, why: 'which is not trusted: tacho trust' }));
  const looser = loaded.overruled.map((one) => ({ ...one, why: 'which cannot loosen your own settings' }));
  const ignored: Ignored[] = [...untrusted, ...looser].filter(isAskedFor);
  const origins = key.entry !== undefined && ignored.length > 0 ? [] : originsBelow(loaded.origins, key);
  const lines = origins.flatMap((origin) => [
    explainOrigin(origin),
    ...explainParts(origin),
    ...(key.value === undefined ? [] : explainValue(key, origin)),
    ...ignored.filter((one) => one.path === origin.path).map((one) => explainIgnored(one)),
  ]);
  const elsewhere = ignored.filter((one) => !origins.some((origin) => origin.path === one.path));
  const isMap = key.field?.isMap && key.entry === undefined;
  return [...lines, ...(isMap ? describeKey(key) : []), ...elsewhere.map((one) => explainIgnored(one, one.path))];
}

export function explainOrigin(origin: FieldOrigin): string {
  const over = origin.overrode.map(({ source }) => formatSource(source)).join(', ');
  const line = `${origin.path} = ${formatValue(origin.value)} ← ${formatSource(origin.source)}`;
  return over === '' ? line : `${line} (over ${over})`;
}

/** Where each value in a list of maps was set. */
function explainParts({ parts = [] }: FieldOrigin): string[] {
  return parts.map(({ path, value, source }) => `  ${path} = ${formatValue(value)} ← ${formatSource(source)}`);
}

/** An ignored setting in a workspace file; with `path` unless the previous line has it. */
function explainIgnored({ value, source, why }: Ignored, path?: string): string {
  const said = printable(formatValue(value));
  const what = path === undefined ? said : `${path} = ${said}`;
  return `  Ignored ${what} ← ${formatSource(source)}, ${why}`;
}

function explainValue(key: ConfigKey, origin: FieldOrigin): string[] {
  return [
    ...describeKey(key),
    ...origin.overrode.map(({ value, source }) => `  Overrode ${formatValue(value)} ← ${formatSource(source)}`),
  ];
}

function describeKey({ field, entry, value }: ConfigKey): string[] {
  const facts = entry === undefined ? field!.facts : value?.facts;
  return [
    ...(facts === undefined ? [] : [`  ${facts.description}`, `  Must be ${facts.accepts}.`]),
    ...(entry === undefined ? [`  Environment variable: ${field!.environment_name}`] : []),
  ];
}

/** A value as valid YAML and JSON, on one line. A secret has no quotes, since `‹set›` is not its value. */
export function formatValue(value: unknown): string {
  if (value === SECRET_IS_SET) return SECRET_IS_SET;
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  return JSON.stringify(value);
}
