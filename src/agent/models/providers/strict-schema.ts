type Schema = Readonly<Record<string, unknown>>;

/** Keywords whose value is one schema, a list of schemas, or schemas by name. */
const ONE = ['items', 'additionalProperties', 'not', 'contains'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', '$defs', 'definitions', 'patternProperties'];

/**
 * Whether OpenAI enforces a schema as it is: there every object has to name all its members as required and forbid
 * others. A schema that does not would be rejected, so it is sent as advice then.
 */
export function isStrictSchema(schema: unknown): boolean {
  if (!isSchema(schema)) return true;
  if (schema.type === 'object' || schema.properties !== undefined) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    if (schema.additionalProperties !== false) return false;
    if (Object.keys(schema.properties ?? {}).some((name) => !required.includes(name))) return false;
  }
  return (
    ONE.every((keyword) => isStrictSchema(schema[keyword])) &&
    LISTS.every((keyword) => valuesOf(schema[keyword]).every(isStrictSchema)) &&
    NAMED.every((keyword) => valuesOf(schema[keyword]).every(isStrictSchema))
  );
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
