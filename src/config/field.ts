import * as z from 'zod';
import { TachoError } from '../protocol/error-code.ts';
import { formatByteSize, parseByteSize } from './byte-size.ts';
import { formatDuration, parseDuration } from './duration.ts';

/** The facts of a field in addition to its zod schema: how to parse text, and how to describe it. */
export interface FieldFacts {
  kind: 'choice' | 'flag' | 'text' | 'integer' | 'number' | 'duration' | 'size' | 'list' | 'map';
  /** Short, for tables: `duration or null`. */
  type: string;
  /** Completes the sentence “… must be”. */
  accepts: string;
  description: string;
  nullable: boolean;
  /** The value is never shown; only that it is set. */
  secret: boolean;
  /** An invalid value may be a secret in the wrong place, so messages do not repeat it. */
  hidesInvalid?: boolean;
}

export const fieldFacts = z.registry<FieldFacts>();

interface Range {
  min: number;
  max: number;
}

const plain = { nullable: false, secret: false } as const;

export function choice<const T extends string>(values: readonly T[], description: string) {
  const accepts = values.length === 1 ? `${values[0]}` : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  return z
    .enum(values)
    .register(fieldFacts, { ...plain, kind: 'choice', type: values.join(' | '), accepts, description });
}

export function text(description: string, options: { pattern: RegExp; accepts: string; secret?: boolean }) {
  const { pattern, accepts, secret = false } = options;
  return z
    .string()
    .regex(pattern)
    .register(fieldFacts, { ...plain, kind: 'text', type: 'text', accepts, description, secret });
}

/** The name of an environment variable, such as one that holds a secret. */
export function variableName(description: string, options: { mayBeEmpty?: boolean } = {}) {
  const { mayBeEmpty = false } = options;
  return z
    .string()
    .regex(mayBeEmpty ? /^(?:[A-Za-z_][A-Za-z0-9_]*)?$/ : /^[A-Za-z_][A-Za-z0-9_]*$/)
    .register(fieldFacts, {
      ...plain,
      kind: 'text',
      type: 'text',
      accepts: `the name of an environment variable${mayBeEmpty ? ', or nothing' : ''}`,
      description,
      hidesInvalid: true,
    });
}

export function flag(description: string) {
  return z
    .boolean()
    .register(fieldFacts, { ...plain, kind: 'flag', type: 'true | false', accepts: 'true or false', description });
}

export function integer(description: string, range: Range) {
  const accepts = `a whole number from ${range.min} to ${range.max}`;
  return z
    .int()
    .min(range.min)
    .max(range.max)
    .register(fieldFacts, { ...plain, kind: 'integer', type: 'whole number', accepts, description });
}

export function integerOrNull(description: string, range: Range) {
  return z
    .int()
    .min(range.min)
    .max(range.max)
    .nullable()
    .register(fieldFacts, {
      ...plain,
      kind: 'integer',
      type: 'whole number or null',
      accepts: `a whole number from ${range.min} to ${range.max}, or null`,
      description,
      nullable: true,
    });
}

export function number(description: string, range: Range) {
  return z
    .number()
    .min(range.min)
    .max(range.max)
    .register(fieldFacts, { ...plain, kind: 'number', type: 'number', accepts: numberAccepts(range), description });
}

export function numberOrNull(description: string, range: Range) {
  return z
    .number()
    .min(range.min)
    .max(range.max)
    .nullable()
    .register(fieldFacts, {
      ...plain,
      kind: 'number',
      type: 'number or null',
      accepts: `${numberAccepts(range)}, or null`,
      description,
      nullable: true,
    });
}

export function list(description: string, options: { item: RegExp; of: string }) {
  const accepts = `a list of ${options.of}`;
  return z
    .array(z.string().regex(options.item))
    .register(fieldFacts, { ...plain, kind: 'list', type: accepts.slice(2), accepts, description });
}

/** A list of maps; `schema` checks each. If `unique` names a key, each of them has a different value there. */
export function records<Item extends z.ZodObject>(
  schema: Item,
  description: string,
  options: { of: string; unique?: string },
) {
  const { of, unique } = options;
  const accepts = `a list of ${of}`;
  return z
    .array(schema)
    .check((context) => void (unique && context.issues.push(...repeated(context.value, unique))))
    .register(fieldFacts, { ...plain, kind: 'list', type: 'list of maps', accepts, description });
}

function repeated(items: readonly Record<string, unknown>[], key: string): z.core.$ZodRawIssue[] {
  const first = new Map<unknown, number>();
  return items.flatMap((item, index) => {
    const before = first.get(item[key]);
    if (before === undefined) first.set(item[key], index);
    const complaint = `repeats that of item ${(before ?? 0) + 1}; each must be different`;
    return before === undefined ? [] : [{ code: 'custom', path: [index, key], params: { complaint }, input: items }];
  });
}

/** A map of named entries; `schema` checks each. */
export function named<Value extends z.ZodType>(
  schema: z.ZodRecord<z.ZodString, Value>,
  description: string,
  options: { of: string },
) {
  const accepts = `a map of names to ${options.of}`;
  return schema.register(fieldFacts, { ...plain, kind: 'map', type: 'map', accepts, description });
}

export function duration(description: string, range: Range) {
  return durationValue(range).register(fieldFacts, {
    ...plain,
    kind: 'duration',
    type: 'duration',
    accepts: durationAccepts(range),
    description,
  });
}

export function durationOrNull(description: string, range: Range) {
  return durationValue(range)
    .nullable()
    .register(fieldFacts, {
      ...plain,
      kind: 'duration',
      type: 'duration or null',
      accepts: `${durationAccepts(range)}, or null`,
      description,
      nullable: true,
    });
}

export function size(description: string, range: Range) {
  return measure(parseByteSize, range).register(fieldFacts, {
    ...plain,
    kind: 'size',
    type: 'size',
    accepts: sizeAccepts(range),
    description,
  });
}

export function sizeOrNull(description: string, range: Range) {
  return measure(parseByteSize, range)
    .nullable()
    .register(fieldFacts, {
      ...plain,
      kind: 'size',
      type: 'size or null',
      accepts: `${sizeAccepts(range)}, or null`,
      description,
      nullable: true,
    });
}

/** Adds facts to a schema of `protocol/`. */
export function described<T extends z.ZodType>(
  schema: T,
  facts: Pick<FieldFacts, 'kind' | 'accepts' | 'description'>,
): T {
  const type = facts.kind === 'choice' ? facts.accepts.replaceAll(/, | or /g, ' | ') : facts.kind;
  fieldFacts.add(schema, { ...plain, type, ...facts });
  return schema;
}

function numberAccepts({ min, max }: Range): string {
  return `a number from ${min} to ${max}`;
}

function sizeAccepts(range: Range): string {
  const limits = `from ${formatByteSize(range.min)} to ${formatByteSize(range.max)}`;
  return `a size such as 10kB or 64MiB, or a number of bytes, ${limits}`;
}

function durationValue(range: Range) {
  return measure(parseDuration, range);
}

function durationAccepts(range: Range): string {
  const limits = `from ${formatDuration(range.min)} to ${formatDuration(range.max)}`;
  return `a duration such as 30s or 1h30m, or a number of milliseconds, ${limits}`;
}

/** A whole number in the base unit, or text that `parse` converts to one. */
function measure(parse: (text: string) => number, range: Range) {
  return z.union([z.number(), z.string()]).transform((input, context) => {
    const value = typeof input === 'number' ? input : parsed(parse, input);
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= range.min && value <= range.max)
      return value;
    context.issues.push({ code: 'custom', params: { reason: typeof value === 'string' ? value : undefined }, input });
    return z.NEVER;
  });
}

/** The number, or a message about the text. */
function parsed(parse: (text: string) => number, input: string): number | string {
  try {
    return parse(input);
  } catch (error) {
    if (error instanceof TachoError) return error.message;
    throw error;
  }
}
