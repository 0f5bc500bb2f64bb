import { type SchemaShape, shapeOf } from './schema-shape.ts';

const MAX_DEPTH = 8;
const MAX_VALUES = 150;
const MAX_GIVEN_CHARS = 4000;
const MAX_TEXT = 80;
const MAX_ITEMS = 3;

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'PT1H',
  email: 'name@example.org',
  hostname: 'example.org',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.org/',
  'uri-reference': '/path',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
};

interface Place {
  root: unknown;
  above: readonly SchemaShape['of'][];
  /** How much more fits. */
  budget: { values: number; chars: number };
}

/** A value of the shape that a JSON Schema asks for: one of its own examples, or one with placeholders. */
export function outputExample(schema: unknown): unknown {
  return exampleOf(schema, { root: schema, above: [], budget: { values: MAX_VALUES, chars: MAX_GIVEN_CHARS } });
}

function exampleOf(schema: unknown, { root, above, budget }: Place): unknown {
  budget.values--;
  const shape = shapeOf(schema, root);
  const { keywords, types, variants } = shape;
  const given = givenValue(keywords, budget);
  if (given !== undefined) return given;
  const place = { root, budget, above: [...above, shape.of] };
  if (variants.length > 0 && shape.properties.size === 0) {
    const variant = variants.find((one) => !isDeep(one, place));
    return variant === undefined ? null : exampleOf(variant, place);
  }
  const type = types.find((name) => name !== 'null') ?? types[0];
  switch (type) {
    case 'object':
      return exampleObject(shape, place);
    case 'array':
      return exampleArray(shape, place);
    case 'string':
      return exampleText(keywords);
    case 'integer':
    case 'number':
      return exampleNumber(keywords, type);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return exampleText(keywords);
  }
}

/** A value that the schema itself states. */
function givenValue(keywords: SchemaShape['keywords'], budget: Place['budget']): unknown {
  const { const: only, enum: values, default: usual, examples } = keywords;
  const [example] = Array.isArray(examples) ? examples : [];
  const [first] = Array.isArray(values) ? values : [];
  const given = [only, example, keywords.example, usual, first].find((value) => value !== undefined);
  const chars = given === undefined ? Number.POSITIVE_INFINITY : JSON.stringify(given).length;
  if (chars > budget.chars) return undefined;
  budget.chars -= chars;
  return given;
}

/** Optional fields too, unless they repeat an outer object or there is no room. */
function exampleObject({ properties, required, additional }: SchemaShape, place: Place): unknown {
  const fields: [string, unknown][] = [];
  for (const [key, schema] of properties) {
    if (!required.has(key) && isDeep(schema, place)) continue;
    place.budget.chars -= key.length;
    fields.push([key, isDeep(schema, place) ? null : exampleOf(schema, place)]);
    if (place.budget.values <= 0 || place.budget.chars <= 0) break;
  }
  if (properties.size === 0 && additional !== undefined && !isDeep(additional, place)) {
    fields.push(['name', exampleOf(additional, place)]);
  }
  return Object.fromEntries(fields);
}

function exampleArray({ items, prefixItems, keywords }: SchemaShape, place: Place): unknown {
  const wanted = typeof keywords.minItems === 'number' ? Math.min(MAX_ITEMS, Math.max(1, keywords.minItems)) : 1;
  const schemas = [
    ...prefixItems,
    ...Array.from({ length: wanted - Math.min(wanted, prefixItems.length) }, () => items),
  ];
  const known = schemas.filter((schema) => schema !== undefined && schema !== false);
  return known.filter((schema) => !isDeep(schema, place)).map((schema) => exampleOf(schema, place));
}

function isDeep(schema: unknown, { root, above, budget }: Place): boolean {
  const { of } = shapeOf(schema, root);
  return budget.values <= 0 || above.length >= MAX_DEPTH || (typeof of === 'object' && above.includes(of));
}

function exampleText({ format, minLength, maxLength }: SchemaShape['keywords']): string {
  if (typeof format === 'string' && Object.hasOwn(FORMATS, format)) return FORMATS[format]!;
  const least = typeof minLength === 'number' ? Math.min(MAX_TEXT, minLength) : 0;
  const most = typeof maxLength === 'number' ? Math.max(least, Math.min(MAX_TEXT, maxLength)) : MAX_TEXT;
  return '…'.padEnd(least, '…').slice(0, most);
}

function exampleNumber(
  { minimum, exclusiveMinimum, maximum, multipleOf }: SchemaShape['keywords'],
  type: string,
): number {
  const least =
    typeof minimum === 'number' ? minimum : typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : null;
  const most = typeof maximum === 'number' ? maximum : null;
  const value = least ?? Math.min(1, most ?? 1);
  const step = typeof multipleOf === 'number' && multipleOf > 0 ? multipleOf : type === 'integer' ? 1 : null;
  const stepped = step === null ? value : Math.ceil(value / step) * step;
  return Number.isFinite(stepped) ? stepped : value;
}
