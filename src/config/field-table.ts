import type * as z from 'zod';
import { DEFAULTS } from './defaults.ts';
import { type FieldFacts, fieldFacts } from './field.ts';
import { configSchema } from './schema.ts';

/** One key of the configuration. */
export interface ConfigField {
  readonly path: string;
  readonly environment_name: string;
  readonly default: unknown;
  /** A map of named entries, which layers fill entry by entry. Known without the schema. */
  readonly isMap: boolean;
  readonly schema: z.ZodType;
  readonly facts: FieldFacts;
}

/** The schema as flat lookup tables; maps, so that a key in a file cannot match a prototype's property. */
export interface FieldTable {
  fields: ReadonlyMap<string, ConfigField>;
  /** Path of each section, and of the root (''), with the keys directly below it. */
  sections: ReadonlyMap<string, readonly string[]>;
}

/** The rule for names in the environment: `recording.level` → `TACHO_RECORDING_LEVEL`. */
export function environmentName(path: string): string {
  return `TACHO_${path.toUpperCase().replaceAll('.', '_')}`;
}

/**
 * Paths come from the defaults, which have every key. The schema is built only to check or explain a value: building it
 * takes longer than all other work of loading a configuration without files.
 */
export function fieldTable(schema: () => z.ZodObject, defaults: object): FieldTable {
  const fields = new Map<string, ConfigField>();
  const sections = new Map<string, readonly string[]>([['', Object.keys(defaults)]]);
  for (const [section, values] of Object.entries(defaults) as [string, Record<string, unknown>][]) {
    sections.set(section, Object.keys(values));
    for (const key of Object.keys(values)) {
      const path = `${section}.${key}`;
      fields.set(path, {
        path,
        environment_name: environmentName(path),
        default: values[key],
        isMap: typeof values[key] === 'object' && values[key] !== null && !Array.isArray(values[key]),
        get schema() {
          return (schema().shape[section] as z.ZodObject).shape[key] as z.ZodType;
        },
        get facts() {
          const facts = fieldFacts.get(this.schema);
          if (facts === undefined) throw new Error(`the schema of ${path} is not made by a function of field.ts`);
          return facts;
        },
      });
    }
  }
  return { fields, sections };
}

export const configFields = fieldTable(() => configSchema, DEFAULTS);
