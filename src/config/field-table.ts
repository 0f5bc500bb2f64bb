import * as z from 'zod';
import { DEFAULTS } from './defaults.ts';
import { type FieldFacts, fieldFacts } from './field.ts';
import { configSchema } from './schema.ts';

/** One key of the configuration. */
export interface ConfigField extends FieldFacts {
  path: string;
  environment_name: string;
  default: unknown;
  schema: z.ZodType;
}

/** The schema, laid flat for looking things up; maps, so that no key of a file can meet a prototype. */
export interface FieldTable {
  fields: ReadonlyMap<string, ConfigField>;
  /** Path of each section, and of the root (''), with the keys directly below it. */
  sections: ReadonlyMap<string, readonly string[]>;
}

/** The one rule for names in the environment: `recording.level` → `TACHO_RECORDING_LEVEL`. */
export function environmentName(path: string): string {
  return `TACHO_${path.toUpperCase().replaceAll('.', '_')}`;
}

export function fieldTable(schema: z.ZodObject, defaults: object): FieldTable {
  const fields = new Map<string, ConfigField>();
  const sections = new Map<string, readonly string[]>();
  const walk = (section: z.ZodObject, values: Record<string, unknown>, prefix: string) => {
    const keys = Object.keys(section.shape);
    sections.set(prefix, keys);
    for (const key of keys) {
      const path = prefix === '' ? key : `${prefix}.${key}`;
      const child = section.shape[key] as z.ZodType;
      if (child instanceof z.ZodObject) {
        walk(child, values[key] as Record<string, unknown>, path);
        continue;
      }
      const facts = fieldFacts.get(child);
      if (facts === undefined) throw new Error(`the schema of ${path} is not made by a function of field.ts`);
      fields.set(path, {
        ...facts,
        path,
        environment_name: environmentName(path),
        default: values[key],
        schema: child,
      });
    }
  };
  walk(schema, defaults as Record<string, unknown>, '');
  return { fields, sections };
}

export const configFields = fieldTable(configSchema, DEFAULTS);
