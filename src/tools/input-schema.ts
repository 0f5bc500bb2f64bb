import { TachoError } from '../protocol/error-code.ts';
import type { JsonSchema, ParsedInput } from './tool.ts';

/** A schema of zod, or of another library with Standard Schema that can describe itself as JSON Schema. */
export interface StandardInput<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => ParsedInput<Output> | Promise<ParsedInput<Output>>;
    readonly jsonSchema?: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

export type OutputOf<Schema extends StandardInput> = NonNullable<Schema['~standard']['types']>['output'];

/** The JSON Schema of a tool's input, and how its library reads a value. */
export interface InputSchema<Input> {
  parameters: JsonSchema;
  parse?: (value: unknown) => ParsedInput<Input> | Promise<ParsedInput<Input>>;
}

/** Reads any kind of schema. Throws TOOL_INVALID if it is not a schema of an object. */
export function readInputSchema<Input>(name: string, input: unknown): InputSchema<Input> {
  if (!isRecord(input)) throw invalidSchema(name, 'input has to be a schema');
  if (!isStandard<Input>(input)) return { parameters: ofObject(name, copyOf(name, input)) };
  const { validate } = input['~standard'];
  return { parameters: ofObject(name, describe(name, input)), parse: (value) => validate(value) };
}

function describe(name: string, { '~standard': standard }: StandardInput): JsonSchema {
  if (typeof standard.jsonSchema?.input !== 'function') {
    throw invalidSchema(name, `its schema (${standard.vendor}) cannot be turned into JSON Schema`);
  }
  try {
    return copyOf(name, standard.jsonSchema.input({ target: 'draft-2020-12' }));
  } catch (cause) {
    throw invalidSchema(name, `its schema cannot be turned into JSON Schema: ${(cause as Error).message}`, cause);
  }
}

/** Providers accept nothing else, and every library writes an object this way. */
function ofObject(name: string, schema: JsonSchema): JsonSchema {
  if (schema.type !== 'object') throw invalidSchema(name, 'its input has to be an object (type: "object")');
  return schema;
}

/** Nothing changes it afterwards: what the model was told is what is checked. */
function copyOf(name: string, schema: object): JsonSchema {
  try {
    return freezeAll(JSON.parse(JSON.stringify(schema)) as JsonSchema);
  } catch (cause) {
    throw invalidSchema(name, `its schema is not JSON: ${(cause as Error).message}`, cause);
  }
}

function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freezeAll);
    Object.freeze(value);
  }
  return value;
}

function isStandard<Output>(input: object): input is StandardInput<Output> {
  const standard = (input as Partial<StandardInput>)['~standard'];
  return standard !== undefined && typeof standard.validate === 'function';
}

/** Some libraries have schemas that are functions. */
function isRecord(value: unknown): value is object {
  return (typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function';
}

function invalidSchema(name: string, what: string, cause?: unknown): TachoError {
  return new TachoError('TOOL_INVALID', `the tool "${name}" cannot be used: ${what}`, {
    facts: { tool: name },
    fix: 'Pass a zod object, another Standard Schema that can give JSON Schema, or a JSON Schema.',
    cause,
  });
}
