import * as z from 'zod';

/** The parts of JSON Schema that schemas of the protocol consist of. */
interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  $ref?: string;
  $defs?: Record<string, Schema>;
}

/** The type of a schema in TypeScript, with its descriptions as comments. */
export function typeOfSchema(schema: z.ZodType): string {
  return print(z.toJSONSchema(schema, { unrepresentable: 'any' }) as Schema, '');
}

function print(schema: Schema, indent: string): string {
  // Any JSON is the one schema of the protocol that refers to itself.
  if (schema.$ref !== undefined) return 'Json';
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => print(option, indent)))].join(' | ');
  if (schema.properties) return printObject(schema, indent);
  if (schema.type === 'array') return printArray(print(schema.items ?? {}, indent));
  if (schema.type === 'object') return printRecord(schema, indent);
  const types = [schema.type ?? 'Json'].flat();
  return types.map((type) => (type === 'integer' ? 'number' : type)).join(' | ');
}

function printRecord({ additionalProperties: values }: Schema, indent: string): string {
  return `Record<string, ${typeof values === 'object' ? print(values, indent) : 'Json'}>`;
}

function printArray(item: string): string {
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function printObject({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `;
  const members = Object.entries(properties).map(([name, schema]) => {
    const doc = schema.description === undefined ? '' : `${inner}/** ${schema.description} */\n`;
    return `${doc}${inner}${name}${required.includes(name) ? '' : '?'}: ${print(schema, inner)};\n`;
  });
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
