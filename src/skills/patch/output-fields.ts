import { onOneLine } from '../quoted.ts';
import { type SchemaShape, shapeOf } from './schema-shape.ts';

interface Field {
  path: string;
  type: string;
  required: string;
  description: string;
}

/** A table for a model: what is beyond it, the model does not need or does not read. */
const MAX_FIELDS = 80;
const MAX_DEPTH = 8;
const MAX_VALUES = 20;
const MAX_TEXT = 300;
const MAX_NAME = 100;

/** All fields of a JSON Schema as a Markdown table. */
export function outputFields(schema: unknown): string {
  const fields: Field[] = [];
  collect(shapeOf(schema, schema), { root: schema, path: '', required: 'yes', above: [], fields });
  const shown = fields.slice(0, MAX_FIELDS);
  const rows = shown.map(({ path, type, required, description }) => {
    return `| ${[path === '' ? 'the result' : code(path), type, required, description].join(' | ')} |`;
  });
  const rest =
    fields.length > MAX_FIELDS ? ['', 'It has further fields, which are in the JSON Schema of the output.'] : [];
  return ['| field | type | required | |', '|---|---|---|---|', ...rows, ...rest].join('\n');
}

interface Place {
  root: unknown;
  path: string;
  required: string;
  /** The schemas that this one is inside of. */
  above: readonly SchemaShape['of'][];
  fields: Field[];
}

function collect(shape: SchemaShape, place: Place): void {
  const { root, path, required, above, fields } = place;
  if (fields.length > MAX_FIELDS) return;
  const isRepeated = typeof shape.of === 'object' && above.includes(shape.of);
  const type = isRepeated ? `${typeOf(shape, root)}, of the same kind as the one it is in` : typeOf(shape, root);
  fields.push({ path, type, required, description: onTable(shape.description ?? '', MAX_TEXT) });
  if (isRepeated || above.length >= MAX_DEPTH) return;
  const inner = (schema: unknown, at: string, need: string) =>
    collect(shapeOf(schema, root), { ...place, path: at, required: need, above: [...above, shape.of] });
  for (const [key, schema] of shape.properties)
    inner(schema, joined(path, key), shape.required.has(key) ? 'yes' : 'no');
  if (shape.additional !== undefined) inner(shape.additional, joined(path, '<name>'), 'no');
  shape.prefixItems.forEach((schema, index) => void inner(schema, `${path}[${index}]`, 'yes'));
  if (needsRow(shape.items, root)) inner(shape.items, `${path}[]`, '');
  shape.variants.forEach((schema, index) => void inner(schema, path, `variant ${index + 1}`));
}

/** Of plain items the row of the array says everything. */
function needsRow(items: unknown, root: unknown): boolean {
  if (items === undefined || typeof items === 'boolean') return false;
  const { properties, additional, items: nested, prefixItems, variants, description } = shapeOf(items, root);
  const isPlain = properties.size === 0 && additional === undefined && nested === undefined && prefixItems.length === 0;
  return !isPlain || variants.length > 0 || description !== null;
}

function typeOf(shape: SchemaShape, root: unknown): string {
  const { keywords, types, variants } = shape;
  if (Object.hasOwn(keywords, 'const')) return code(JSON.stringify(keywords.const));
  if (Array.isArray(keywords.enum)) {
    const values = keywords.enum.slice(0, MAX_VALUES).map((value) => code(JSON.stringify(value)));
    return `one of ${values.join(', ')}${keywords.enum.length > MAX_VALUES ? ', …' : ''}`;
  }
  if (variants.length > 0) return [`one of ${variants.length} variants`, ...types].join(' or ');
  const names = types.length === 0 ? 'any value' : types.map((type) => nameOf(type, shape, root)).join(' or ');
  return [names, ...limitsOf(keywords)].join(', ');
}

function nameOf(type: string, { items }: SchemaShape, root: unknown): string {
  if (type !== 'array' || items === undefined || typeof items === 'boolean') return onTable(type, MAX_NAME);
  const inner = shapeOf(items, root);
  if (Array.isArray(inner.keywords.enum)) return `array, each ${typeOf({ ...inner, items: undefined }, root)}`;
  return inner.types.length === 0
    ? 'array'
    : `array of ${inner.types.map((name) => onTable(name, MAX_NAME)).join(' or ')}`;
}

const LIMITS: readonly [string, (value: string) => string][] = [
  ['format', (value) => `format ${value}`],
  ['pattern', (value) => `matching ${code(value)}`],
  ['minimum', (value) => `at least ${value}`],
  ['exclusiveMinimum', (value) => `more than ${value}`],
  ['maximum', (value) => `at most ${value}`],
  ['exclusiveMaximum', (value) => `less than ${value}`],
  ['multipleOf', (value) => `a multiple of ${value}`],
  ['minLength', (value) => `at least ${value} ${value === '1' ? 'character' : 'characters'}`],
  ['maxLength', (value) => `at most ${value} ${value === '1' ? 'character' : 'characters'}`],
  ['minItems', (value) => `at least ${value} ${value === '1' ? 'item' : 'items'}`],
  ['maxItems', (value) => `at most ${value} ${value === '1' ? 'item' : 'items'}`],
];

function limitsOf(keywords: SchemaShape['keywords']): string[] {
  const limits = LIMITS.flatMap(([key, say]) => {
    const value = keywords[key];
    const isShown = typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_NAME);
    return isShown ? [say(key === 'pattern' ? String(value) : onTable(String(value), MAX_NAME))] : [];
  });
  if (keywords.uniqueItems === true) limits.push('without duplicates');
  if (keywords.additionalProperties === false) limits.push('without other fields');
  return limits;
}

function joined(path: string, key: string): string {
  if (!/^[\w$<>-]+$/.test(key)) return `${path}[${JSON.stringify(key.slice(0, MAX_NAME))}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** As code in a cell of a table: bars are escaped there too, and a longer fence than any inside of it. */
function code(text: string): string {
  const short = onTable(text, MAX_TEXT);
  const longest = Math.max(0, ...Array.from(short.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${short}${fence}` : `${fence} ${short} ${fence}`;
}

function onTable(text: string, max: number): string {
  const line = onOneLine(text);
  return (line.length > max ? `${line.slice(0, max)}…` : line).replaceAll('|', '\\|');
}
