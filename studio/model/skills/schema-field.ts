/** What a form asks for, made from a JSON Schema. What no form can ask for is asked as JSON. */
export type SchemaField = FieldWords &
  (
    | { kind: 'text'; multiline: boolean }
    | { kind: 'number'; whole: boolean }
    | { kind: 'boolean' }
    | { kind: 'choice'; options: readonly unknown[] }
    | { kind: 'object'; fields: readonly SchemaField[] }
    | { kind: 'list'; item: SchemaField }
    | { kind: 'json' }
  );

interface FieldWords {
  /** Of the property; empty for the whole value and for the items of a list. */
  name: string;
  label: string;
  hint: string;
  isRequired: boolean;
  /** The default of the schema; undefined if it has none. */
  preset: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

/** Definitions may contain themselves. */
const MAX_DEPTH = 6;
const MAX_FIELDS = 60;
/** Longer texts get more than one line. */
const MAX_LINE_LENGTH = 120;
/** Keywords by which a value may have one of several shapes. */
const COMPOSED = ['anyOf', 'oneOf', 'allOf', 'not', 'if', 'patternProperties', 'prefixItems', 'dependentSchemas'];

/** The field for a value of this schema. */
export function schemaField(schema: unknown): SchemaField {
  return fieldOf(schema, { root: schema, name: '', isRequired: true, depth: 0 });
}

interface Place {
  root: unknown;
  name: string;
  isRequired: boolean;
  depth: number;
}

function fieldOf(given: unknown, place: Place): SchemaField {
  const schema = resolve(given, place.root);
  const words: FieldWords = {
    name: place.name,
    label: textOf(schema?.title) || place.name,
    hint: textOf(schema?.description),
    isRequired: place.isRequired,
    preset: schema?.default,
  };
  if (schema === null || place.depth > MAX_DEPTH || COMPOSED.some((key) => key in schema)) {
    return { ...words, kind: 'json' };
  }
  if ('const' in schema) return { ...words, kind: 'choice', options: [schema.const], preset: schema.const };
  if (Array.isArray(schema.enum)) return { ...words, kind: 'choice', options: schema.enum };
  switch (schema.type) {
    case 'string':
      return { ...words, kind: 'text', multiline: isLong(schema) };
    case 'number':
    case 'integer':
      return { ...words, kind: 'number', whole: schema.type === 'integer' };
    case 'boolean':
      return { ...words, kind: 'boolean' };
    case 'object':
      return objectField(schema, words, place);
    case 'array':
      if (!isSchema(schema.items)) return { ...words, kind: 'json' };
      return { ...words, kind: 'list', item: fieldOf(schema.items, { ...inside(place), name: '', isRequired: true }) };
    default:
      return { ...words, kind: 'json' };
  }
}

function objectField(schema: Schema, words: FieldWords, place: Place): SchemaField {
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  // Names of any kind, or more than a form should ask for.
  if (properties.length === 0 || properties.length > MAX_FIELDS) return { ...words, kind: 'json' };
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = properties.map(([name, property]) =>
    fieldOf(property, { ...inside(place), name, isRequired: required.includes(name) }),
  );
  return { ...words, kind: 'object', fields };
}

function inside(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

/** Follows references within the document. Null for what is not a schema, or one that cannot be found. */
function resolve(given: unknown, root: unknown): Schema | null {
  let schema = given;
  for (let step = 0; isSchema(schema) && typeof schema.$ref === 'string'; step++) {
    if (step === MAX_DEPTH || !schema.$ref.startsWith('#/')) return null;
    const target = schema.$ref
      .slice(2)
      .split('/')
      .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((found, key) => (isSchema(found) && Object.hasOwn(found, key) ? found[key] : undefined), root);
    if (!isSchema(target)) return null;
    const { $ref: _, ...own } = schema;
    schema = { ...target, ...own };
  }
  return isSchema(schema) ? schema : null;
}

function isLong({ format, maxLength }: Schema): boolean {
  return format === undefined && !(typeof maxLength === 'number' && maxLength <= MAX_LINE_LENGTH);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
