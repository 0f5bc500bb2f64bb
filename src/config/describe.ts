import { formatValue } from './explain.ts';
import { configFields } from './field-table.ts';
import { type ConfigPath, KEY_CLASSES } from './trust/key-classes.ts';

/** One key, for tables and help. */
interface ConfigKeyDescription {
  path: string;
  type: string;
  /** As it would stand in YAML. */
  default: string;
  description: string;
  accepts: string;
  environment_name: string;
  /** What an untrusted workspace may do with it. */
  untrusted: string;
}

export function describeConfig(): ConfigKeyDescription[] {
  return [...configFields.fields.values()].map((field) => ({
    path: field.path,
    type: field.facts.type,
    default: formatValue(field.default),
    description: field.facts.description,
    accepts: field.facts.accepts,
    environment_name: field.environment_name,
    untrusted: untrustedUse(field.path),
  }));
}

function untrustedUse(path: string): string {
  const kind = KEY_CLASSES[path as ConfigPath];
  if (typeof kind === 'function') return 'stricter';
  if (typeof kind === 'object') return `harmless up to ${kind.harmlessUpTo}`;
  return kind === 'harmless' ? 'harmless' : 'ignored';
}
