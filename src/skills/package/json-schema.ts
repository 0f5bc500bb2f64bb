import type { ErrorObject, ValidateFunction } from 'ajv';
import { TachoError } from '../../protocol/index.ts';

/** A JSON Schema of a skill, ready to use. */
export type SchemaCheck = (value: unknown) => SchemaViolation[];

export interface SchemaViolation {
  /** A JSON Pointer into the value; empty for the value itself. */
  path: string;
  message: string;
}

const DRAFT_2020 = /draft\/2020-12|draft\/2019-09/;
const MAX_VIOLATIONS = 20;

/**
 * Compiles a schema of draft-07 or 2020-12, chosen by its `$schema`. References to other documents are not loaded. Throws
 * SKILL_SCHEMA_INVALID with `facts.path`, the keys that lead to what is wrong.
 */
export async function compileSchema(schema: unknown): Promise<SchemaCheck> {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    throw invalidSchema('a schema has to be an object', []);
  }
  const stated = typeof schema === 'object' ? (schema as { $schema?: unknown }).$schema : undefined;
  const is2020 = typeof stated === 'string' && DRAFT_2020.test(stated);
  const { default: formats } = await import('ajv-formats');
  const Ajv = is2020 ? (await import('ajv/dist/2020.js')).Ajv2020 : (await import('ajv')).Ajv;
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  let validate: ValidateFunction;
  try {
    if (!ajv.validateSchema(schema as object)) {
      const [error] = ajv.errors ?? [];
      throw invalidSchema(`${error?.message ?? 'it is not a schema'}`, pointerKeys(error?.instancePath ?? ''));
    }
    validate = ajv.compile(schema as object);
  } catch (error) {
    if (error instanceof TachoError) throw error;
    throw invalidSchema((error as Error).message.slice(0, 300), []);
  }
  return (value) => {
    if (validate(value)) return [];
    return (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map(violationOf);
  };
}

function violationOf({ instancePath, message = 'is not valid', params }: ErrorObject): SchemaViolation {
  const extra = typeof params.additionalProperty === 'string' ? `: ${params.additionalProperty}` : '';
  return { path: instancePath, message: `${message}${extra}` };
}

function pointerKeys(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function invalidSchema(what: string, path: readonly string[]): TachoError {
  return new TachoError('SKILL_SCHEMA_INVALID', `it is not a valid JSON Schema: ${what}`, {
    facts: { path },
    fix: 'Correct it; drafts 07 and 2020-12 are supported, without references to other documents.',
  });
}
