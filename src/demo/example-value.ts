import { isObject, type JsonObject, listIn, objectIn } from './json-value.ts';
import { TITLE } from './wording.ts';

const MAX_DEPTH = 8;
const MAX_ITEMS = 100;

/** The smallest value that a JSON schema accepts: only required parts. */
export function exampleValue(schema: JsonObject, name = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return null;
  if ('const' in schema) return schema.const;
  if ('default' in schema) return schema.default;
  const [firstChoice] = listIn(schema.enum);
  if (firstChoice !== undefined) return firstChoice;
  const [firstForm] = [...listIn(schema.anyOf), ...listIn(schema.oneOf)].filter(isObject);
  if (firstForm) return exampleValue(firstForm, name, depth + 1);
  switch (typeOf(schema)) {
    case 'object':
      return exampleObject(schema, {}, depth);
    case 'array':
      return Array.from({ length: Math.min(Number(schema.minItems) || 0, MAX_ITEMS) }, () =>
        exampleValue(objectIn(schema.items), name, depth + 1),
      );
    case 'integer':
    case 'number':
      return exampleNumber(schema);
    case 'boolean':
      return false;
    case 'null':
      return null;
    default:
      return name === 'title' ? TITLE : 'demo';
  }
}

/** An object with the given properties, and an example for every other required one. */
export function exampleObject(schema: JsonObject, given: JsonObject, depth = 0): JsonObject {
  const properties = objectIn(schema.properties);
  const result = { ...given };
  for (const name of listIn(schema.required)) {
    if (typeof name !== 'string' || name in result) continue;
    result[name] = exampleValue(objectIn(properties[name]), name, depth + 1);
  }
  return result;
}

/** Gemini writes types in capitals; a nullable type is a list. */
export function typeOf(schema: JsonObject): string {
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type;
  if (typeof type === 'string') return type.toLowerCase();
  return isObject(schema.properties) ? 'object' : '';
}

function exampleNumber({ minimum, exclusiveMinimum, maximum }: JsonObject): number {
  const bounds: number[] = [];
  if (typeof minimum === 'number') bounds.push(minimum);
  if (typeof exclusiveMinimum === 'number') bounds.push(exclusiveMinimum + 1);
  const least = bounds.length > 0 ? Math.max(...bounds) : 1;
  return typeof maximum === 'number' ? Math.min(least, maximum) : least;
}
