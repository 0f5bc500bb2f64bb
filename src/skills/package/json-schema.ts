import vm from 'node:vm';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import { TachoError } from '../../protocol/index.ts';

/** A JSON Schema, ready to use. */
export type SchemaCheck = (value: unknown) => SchemaViolation[];

export interface SchemaViolation {
  /** A JSON Pointer into the value; empty for the value itself. */
  path: string;
  message: string;
}

export interface SchemaOptions {
  /** The draft of a schema that states none; 07 by default. */
  draft?: '07' | '2020-12';
  /** Written by the author of the program, so it gets no time limit. */
  isTrusted?: boolean;
  /** Validators for many schemas that are compiled one after the other: making one takes longer than compiling most. */
  pool?: SchemaPool;
}

/** By whether they are for draft 2020-12. */
export type SchemaPool = Map<boolean, Promise<Ajv>>;

const DRAFT_2020 = /draft\/2020-12|draft\/2019-09/;
const MAX_VIOLATIONS = 100;
const MAX_MESSAGE = 300;
/** A regular expression of a hostile schema can take hours, and nothing else happens meanwhile. */
const COMPILE_TIMEOUT_MS = 10_000;
/** Processor time, so that a valid value does not become invalid on a busy machine. */
const CHECK_CPU_MS = 1000;
const SLICE_MS = 500;

/**
 * Compiles a schema of draft-07 or 2020-12, chosen by its `$schema`. References to other documents are not loaded. Throws
 * SKILL_SCHEMA_INVALID with `facts.path`, the keys that lead to what is wrong. A check that takes too long is a violation.
 */
export async function compileSchema(
  schema: unknown,
  { draft = '07', isTrusted = false, pool = new Map() }: SchemaOptions = {},
): Promise<SchemaCheck> {
  if (typeof schema !== 'boolean' && (typeof schema !== 'object' || schema === null || Array.isArray(schema))) {
    throw invalidSchema('a schema has to be an object', []);
  }
  const stated = typeof schema === 'object' ? (schema as { $schema?: unknown }).$schema : undefined;
  const is2020 = typeof stated === 'string' ? DRAFT_2020.test(stated) : draft === '2020-12';
  const validators: SchemaPool = hasIds(schema) ? new Map() : isTrusted ? SHARED : pool;
  const ajv = await pooledAjv(validators, is2020);
  let validate: ValidateFunction;
  try {
    const compile = () => {
      if (!ajv.validateSchema(schema as object)) {
        const [error] = ajv.errors ?? [];
        throw invalidSchema(`${error?.message ?? 'it is not a schema'}`, pointerKeys(error?.instancePath ?? ''));
      }
      return ajv.compile(schema as object);
    };
    validate = isTrusted ? compile() : withTimeout(compile, COMPILE_TIMEOUT_MS);
  } catch (error) {
    if (error instanceof TachoError) throw error;
    // It was interrupted in the middle of something.
    if (!isTrusted) pool.delete(is2020);
    throw invalidSchema(isTimeout(error) ? TOO_SLOW : (error as Error).message.slice(0, 300), []);
  }
  const check: SchemaCheck = (value) => (validate(value) ? [] : violationsOf(validate.errors ?? []));
  return (value) => {
    try {
      return isTrusted ? check(value) : repeated(() => check(value));
    } catch (error) {
      // Recursion without end is the other way to keep a check from ending.
      if (isTimeout(error) || error instanceof RangeError)
        return [{ path: '', message: `cannot be checked: ${TOO_SLOW}` }];
      throw error;
    }
  };
}

async function makeAjv(is2020: boolean): Promise<Ajv> {
  const { default: formats } = await import('ajv-formats');
  const Validator = is2020 ? (await import('ajv/dist/2020.js')).Ajv2020 : (await import('ajv')).Ajv;
  const ajv = new Validator({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv;
}

function pooledAjv(pool: SchemaPool, is2020: boolean): Promise<Ajv> {
  const ajv = pool.get(is2020) ?? makeAjv(is2020);
  pool.set(is2020, ajv);
  return ajv;
}

/** One validator refuses two schemas with the same id. */
function hasIds(schema: unknown): boolean {
  return JSON.stringify(schema).includes('"$id"');
}

/** For all trusted schemas. */
const SHARED: SchemaPool = new Map();

const TOO_SLOW = 'the schema takes too long, or too much memory';

/** V8 can interrupt code, also a regular expression, only if it runs in a script with a timeout. */
function withTimeout<T>(work: () => T, timeout: number): T {
  return vm.runInNewContext('work()', { work }, { timeout }) as T;
}

/** The timeout counts the time of day, so work that was interrupted is begun again until it has used its processor time. */
function repeated<T>(work: () => T): T {
  const before = process.cpuUsage();
  for (let timeout = SLICE_MS; ; timeout *= 2) {
    try {
      return withTimeout(work, timeout);
    } catch (error) {
      const { user, system } = process.cpuUsage(before);
      if (!isTimeout(error) || user + system >= CHECK_CPU_MS * 1000) throw error;
    }
  }
}

function isTimeout(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

/** In the order of the schema, each once. */
function violationsOf(errors: readonly ErrorObject[]): SchemaViolation[] {
  const found = new Map<string, SchemaViolation>();
  for (const error of errors) {
    const violation = violationOf(error);
    found.set(`${violation.path}\n${violation.message}`, violation);
    if (found.size === MAX_VIOLATIONS) break;
  }
  return [...found.values()];
}

function violationOf({ instancePath, message = 'is not valid', params }: ErrorObject): SchemaViolation {
  const whole = `${message}${extraOf(params)}`;
  return { path: instancePath, message: whole.length > MAX_MESSAGE ? `${whole.slice(0, MAX_MESSAGE)}…` : whole };
}

/** What the message leaves out, and whoever is to correct the value has to know. */
function extraOf(params: ErrorObject['params']): string {
  const { additionalProperty, unevaluatedProperty, allowedValues, allowedValue } = params;
  const unknown: unknown = additionalProperty ?? unevaluatedProperty;
  if (typeof unknown === 'string') return `: ${unknown}`;
  const allowed: unknown = allowedValues ?? allowedValue;
  return allowed === undefined ? '' : `: ${JSON.stringify(allowed)}`;
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
