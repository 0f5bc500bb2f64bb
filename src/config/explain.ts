import { type ConfigField, configFields } from './field-table.ts';
import { type FieldOrigin, SECRET_IS_SET } from './origins.ts';
import type { LoadedConfig } from './overlays.ts';
import { printable } from './problem.ts';
import { formatSource } from './source.ts';
import type { WorkspaceTrust } from './trust/ignored-settings.ts';

/**
 * Lines such as `recording.level = "full" ← config/tacho.yaml:12:3 (over embedded default)`: all fields, those of a
 * section, or one field with its description. Throws CONFIG_UNKNOWN_KEY for any other path.
 */
export function explainConfig(loaded: LoadedConfig, path?: string): string[] {
  const isSection = path === undefined || configFields.sections.has(path);
  if (!isSection) {
    const origin = loaded.origin(path);
    const field = configFields.fields.get(path)!;
    return [explainOrigin(origin), ...explainField(field, origin), ...explainIgnored(loaded.workspace, path)];
  }
  return loaded.origins
    .filter((origin) => path === undefined || path === '' || origin.path.startsWith(`${path}.`))
    .flatMap((origin) => [explainOrigin(origin), ...explainIgnored(loaded.workspace, origin.path)]);
}

export function explainOrigin(origin: FieldOrigin): string {
  const over = origin.overrode.map(({ source }) => formatSource(source)).join(', ');
  const line = `${origin.path} = ${formatValue(origin.value)} ← ${formatSource(origin.source)}`;
  return over === '' ? line : `${line} (over ${over})`;
}

/** What a file of the workspace says in vain. */
function explainIgnored({ trusted, needsTrust }: WorkspaceTrust, path: string): string[] {
  const ignored = trusted ? [] : needsTrust.filter((one) => one.path === path);
  return ignored.map(({ value, source }) => {
    return `  Ignored ${printable(formatValue(value))} ← ${formatSource(source)}, which is not trusted: tacho trust`;
  });
}

function explainField(field: ConfigField, origin: FieldOrigin): string[] {
  return [
    `  ${field.facts.description}`,
    `  Must be ${field.facts.accepts}.`,
    `  Environment variable: ${field.environment_name}`,
    ...origin.overrode.map(({ value, source }) => `  Overrode ${formatValue(value)} ← ${formatSource(source)}`),
  ];
}

/** As YAML and JSON alike would have it, on one line. A secret has no quotes, since `‹set›` is not its value. */
export function formatValue(value: unknown): string {
  if (value === SECRET_IS_SET) return SECRET_IS_SET;
  if (Array.isArray(value)) return `[${value.map(formatValue).join(', ')}]`;
  return JSON.stringify(value);
}
