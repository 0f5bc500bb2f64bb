import * as z from 'zod';
import { factsOf, shapeKeys } from './check-value.ts';
import { formatValue } from './explain.ts';
import { type ConfigField, configFields } from './field-table.ts';
import type { NamedSchema } from './named/read-named.ts';
import { type ConfigPath, KEY_CLASSES } from './trust/key-classes.ts';

/** One key, for tables and help. */
interface ConfigKeyDescription {
  path: string;
  type: string;
  /** As written in YAML. */
  default: string;
  description: string;
  accepts: string;
  /** Null for a value in a named entry or in an item of a list. */
  environment_name: string | null;
  /** How an untrusted workspace may use it. */
  untrusted: string;
}

export function describeConfig(): ConfigKeyDescription[] {
  return [...configFields.fields.values()].flatMap((field) => [
    {
      path: field.prefix === field.path ? field.path : `${field.prefix}.<name>`,
      type: field.facts.type,
      default: formatValue(field.default),
      description: field.facts.description,
      accepts: field.facts.accepts,
      environment_name: field.environment_name,
      untrusted: untrustedUse(field.path),
    },
    ...innerKeys(field),
  ]);
}

/** The keys of the entries of a map, or of the items of a list of maps. */
function innerKeys(field: ConfigField): ConfigKeyDescription[] {
  const inner = field.isMap ? (field.schema as NamedSchema).valueType : itemOf(field.schema);
  const shape = shapeKeys(inner) ?? {};
  const place = field.isMap ? '.<name>' : '[]';
  return Object.entries(shape).map(([key, schema]) => {
    const { type, description, accepts } = factsOf(schema)!;
    const builtIn = schema.safeParse(undefined);
    return {
      path: `${field.prefix}${place}.${key}`,
      type,
      default: !builtIn.success ? 'required' : formatValue(builtIn.data ?? null),
      description,
      accepts,
      environment_name: null,
      untrusted: untrustedUse(field.path),
    };
  });
}

function itemOf(schema: z.ZodType): z.ZodType | undefined {
  return schema instanceof z.ZodArray ? (schema.element as z.ZodType) : undefined;
}

function untrustedUse(path: string): string {
  const kind = KEY_CLASSES[path as ConfigPath];
  if (typeof kind === 'function') return 'stricter';
  if (typeof kind === 'object') return `harmless up to ${kind.harmlessUpTo}`;
  return kind === 'harmless' ? 'harmless' : 'ignored';
}
