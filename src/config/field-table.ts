import type * as z from 'zod';
import { DEFAULTS } from './defaults.ts';
import { type FieldFacts, fieldFacts } from './field.ts';
import { joinPath, splitPath } from './key-path.ts';
import { configSchema } from './schema.ts';

/** One key of the configuration. */
export interface ConfigField {
  readonly path: string;
  readonly environment_name: string;
  readonly default: unknown;
  /** A map of named entries, which layers fill entry by entry. Known without the schema. */
  readonly isMap: boolean;
  /** Where the entries of a map stand: below its own path, or directly in its section. */
  readonly prefix: string;
  /** The entry of this map that a path is, or is inside of. */
  entryOf(path: string): NamedPath | undefined;
  readonly schema: z.ZodType;
  readonly facts: FieldFacts;
}

/** The path of a named entry, or of a value in it. */
export interface NamedPath {
  name: string;
  /** Undefined for the entry itself. */
  key: string | undefined;
  entryPath: string;
}

/** Maps whose entries stand beside the other keys of their section: `engines.my-agent`. Their own name is never written. */
const IN_SECTION: ReadonlySet<string> = new Set(['engines.defined']);

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
    const written = Object.keys(values).filter((key) => !IN_SECTION.has(`${section}.${key}`));
    sections.set(section, written);
    for (const key of Object.keys(values)) {
      const path = `${section}.${key}`;
      const prefix = IN_SECTION.has(path) ? section : path;
      const isMap = typeof values[key] === 'object' && values[key] !== null && !Array.isArray(values[key]);
      fields.set(path, {
        path,
        environment_name: environmentName(prefix),
        default: values[key],
        isMap,
        prefix,
        entryOf(entry) {
          if (!isMap || !entry.startsWith(`${prefix}.`)) return undefined;
          const [name, within] = splitPath(entry).slice(prefix.split('.').length);
          if (name === undefined || (prefix === section && written.includes(name))) return undefined;
          return { name, key: within, entryPath: joinPath(...prefix.split('.'), name) };
        },
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

/** The field that a path of a layer belongs to; undefined for an unknown path. */
export function fieldOf(table: FieldTable, path: string): ConfigField | undefined {
  return table.fields.get(path) ?? mapOf(table, path);
}

/** The map that a path leads into. */
export function mapOf(table: FieldTable, path: string): ConfigField | undefined {
  for (const field of table.fields.values()) if (field.entryOf(path) !== undefined) return field;
  return undefined;
}

/** The path of the named entry that this path is or is inside of; other paths are returned unchanged. */
export function entryPathOf(path: string): string {
  return mapOf(configFields, path)?.entryOf(path)?.entryPath ?? path;
}

export const configFields = fieldTable(() => configSchema, DEFAULTS);
