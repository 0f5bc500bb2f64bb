import * as z from 'zod';
import { type FieldFacts, fieldFacts } from './field.ts';
import { pathBelow } from './key-path.ts';
import { nearest } from './nearest-key.ts';
import { type ConfigProblem, invalid, MAX_PROBLEMS, quotePath } from './problem.ts';
import { type ConfigSource, formatSource } from './source.ts';
import { type Located, plainValue, showValue } from './sources/located.ts';

/** One value inside a list of maps, such as `[1].host`, and where it was set. */
export interface SettingPart {
  path: string;
  value: unknown;
  source: ConfigSource;
}

interface Checked {
  value: unknown;
  /** For a list of maps in a file: the places of its parts, which are more precise than that of the list. */
  parts?: readonly SettingPart[];
}

/** The checked value; undefined after adding all of its problems, each with its place, to `problems`. */
export function checkValue(
  schema: z.ZodType,
  path: string,
  located: Located,
  problems: ConfigProblem[],
): Checked | undefined {
  const result = schema.safeParse(plainValue(located));
  if (!result.success) {
    problems.push(...problemsOf(result.error.issues.slice(0, MAX_PROBLEMS), { schema, path, located }));
    return undefined;
  }
  const hasParts = located.kind === 'list' && located.items.some(({ kind }) => kind === 'map');
  return { value: result.data, ...(hasParts ? { parts: partsOf(located, result.data) } : {}) };
}

/** The problems of a value with only one known place, because its parts come from several layers. */
export function missingParts(
  issues: readonly z.core.$ZodIssue[],
  at: { schema: z.ZodType; path: string; source: ConfigSource },
): ConfigProblem[] {
  return problemsOf(issues, { ...at, located: { kind: 'map', entries: [], source: at.source } });
}

/** The facts of a schema, with wrappers removed. */
export function factsOf(schema: z.ZodType | undefined): FieldFacts | undefined {
  if (schema === undefined) return undefined;
  const inner = unwrapped(schema);
  return fieldFacts.get(schema) ?? (inner === schema ? undefined : factsOf(inner));
}

interface Place {
  schema: z.ZodType;
  path: string;
  located: Located;
}

function problemsOf(issues: readonly z.core.$ZodIssue[], at: Place): ConfigProblem[] {
  return issues.flatMap((issue) => {
    const { node, holder } = descend(at.located, issue.path);
    const schema = schemaAt(at.schema, issue.path);
    const path = pathBelow(at.path, issue.path);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownPart(key, { path, schema, located: node ?? holder }));
    }
    if (issue.code === 'invalid_key') {
      return [invalid((node ?? holder).source, `${path}: ${issue.issues[0]?.message ?? 'invalid name'}`, path)];
    }
    const must = `must be ${factsOf(schema)?.accepts ?? shapeOf(schema) ?? issue.message}`;
    const complaint: unknown = issue.code === 'custom' ? issue.params?.complaint : undefined;
    if (complaint !== undefined) return [invalid((node ?? holder).source, `${path} ${complaint}`, path)];
    if (node === undefined)
      return [invalid(holder.source, `${path} ${reasonOf(issue) ?? `is missing; it ${must}`}`, path)];
    return [wrongValue(issue, { ...at, node, path, must })];
  });
}

function wrongValue(issue: z.core.$ZodIssue, at: Place & { node: Located; must: string }): ConfigProblem {
  const { node, path, must } = at;
  const whole = factsOf(at.schema);
  const hides = whole?.secret || factsOf(schemaAt(at.schema, issue.path))?.hidesInvalid;
  if (hides) return invalid(node.source, `${path} ${must}`, path);
  const reason = reasonOf(issue);
  if (reason !== undefined) return invalid(node.source, `${path} ${must}: ${reason}`, path);
  const [index] = issue.path;
  const isPlainItem = issue.path.length === 1 && shapeKeys(schemaAt(at.schema, issue.path)) === undefined;
  if (whole?.kind === 'list' && isPlainItem && typeof index === 'number') {
    const list = path.slice(0, path.lastIndexOf('['));
    const hint = node.kind === 'scalar' && typeof node.value !== 'string' ? '; quotes would make it text' : '';
    const complaint = `${list} must be ${whole.accepts}, but item ${index + 1} is ${showValue(node)}${hint}`;
    return invalid(node.source, complaint, list);
  }
  return invalid(node.source, `${path} ${must}, not ${showValue(node)}`, path);
}

/** What a check of our own says. */
function reasonOf(issue: z.core.$ZodIssue): string | undefined {
  return issue.code === 'custom' ? (issue.params?.reason as string | undefined) : undefined;
}

/** An unknown key of a map, with a suggestion. */
export function unknownPart(
  key: string,
  { path, schema, located }: { path: string; schema: z.ZodType | undefined; located: Located },
): ConfigProblem {
  const known = Object.keys(shapeKeys(schema) ?? {});
  const entries = located.kind === 'map' ? located.entries : [];
  const entry = entries.find(({ key: written }) => written.kind === 'scalar' && written.value === key);
  const source = entry?.key.source ?? located.source;
  const near = nearest(
    key.toLowerCase(),
    known.map((word) => ({ word })),
  )?.word;
  const help = near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${near}?`;
  const full = pathBelow(path, [key]);
  return {
    code: 'CONFIG_UNKNOWN_KEY',
    message: `${formatSource(source)}: unknown key ${quotePath(full)}; ${help}`,
    source,
    path: full,
    ...(near === undefined ? {} : { suggestion: pathBelow(path, [near]) }),
  };
}

/** The keys of a map in the configuration. */
export function shapeKeys(schema: z.ZodType | undefined): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = schema === undefined ? undefined : unwrapped(schema);
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined;
}

function shapeOf(schema: z.ZodType | undefined): string | undefined {
  const keys = shapeKeys(schema);
  return keys && `a map with keys from: ${Object.keys(keys).join(', ')}`;
}

function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | undefined {
  return path.reduce<z.ZodType | undefined>((at, key) => {
    const inner = at === undefined ? undefined : unwrapped(at);
    if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
    if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
    return shapeKeys(inner)?.[String(key)];
  }, schema);
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const isWrapper =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap() as z.ZodType) : schema;
}

/** The value at the path, and the innermost enclosing value that was written. */
function descend(located: Located, path: readonly PropertyKey[]): { node: Located | undefined; holder: Located } {
  let holder = located;
  for (const key of path) {
    const child =
      holder.kind === 'list'
        ? holder.items[Number(key)]
        : holder.kind === 'map'
          ? holder.entries.find((entry) => entry.key.kind === 'scalar' && entry.key.value === key)?.value
          : undefined;
    if (child === undefined) return { node: undefined, holder };
    holder = child;
  }
  return { node: holder, holder };
}

/** The single values in a list of maps. Empty if all have the same place, as in a variable. */
function partsOf(located: Located, value: unknown, path = ''): SettingPart[] {
  if (located.kind === 'list' && Array.isArray(value)) {
    return located.items.flatMap((item, index) => partsOf(item, value[index], `${path}[${index}]`));
  }
  if (located.kind === 'map' && typeof value === 'object' && value !== null) {
    return located.entries.flatMap((entry) => {
      const key = String(plainValue(entry.key));
      return partsOf(entry.value, (value as Record<string, unknown>)[key], `${path}.${key}`);
    });
  }
  return located.source.line === undefined ? [] : [{ path, value, source: located.source }];
}
