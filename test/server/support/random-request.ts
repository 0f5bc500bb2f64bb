/* The parts of the OpenAPI document that requests are built from. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
}

export interface OpenApi {
  openapi: string;
  paths: Record<
    string,
    Record<
      string,
      {
        parameters?: { in: 'path' | 'query'; name: string; required?: boolean; schema: JsonSchema }[];
        requestBody?: { content: Record<string, { schema: JsonSchema }> };
        responses: Record<string, unknown>;
      }
    >
  >;
  components: { schemas: Record<string, JsonSchema> };
}

export interface RandomRequest {
  method: string;
  path: string;
  body?: string;
  headers: Record<string, string>;
}

const ODD = [
  '',
  '0',
  '-1',
  '1e999',
  'null',
  '../../etc/passwd',
  '..%2f..',
  '\u0000',
  '💥',
  'x'.repeat(300),
  "';--",
  '[]',
  '%',
  '{"a":',
];

/** Builds requests that conform to the document, almost conform, or do not conform at all. */
export function createRequests(document: OpenApi, known: { ids: string[] }, random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const chance = (share: number) => random() < share;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  function someValue(schema: JsonSchema, depth = 0): unknown {
    if (chance(0.08)) return pick([null, true, -1, 1.5, '', [], {}, 'x'.repeat(200), 2 ** 53, ...ODD]);
    if (schema.$ref) return someValue(document.components.schemas[schema.$ref.split('/').at(-1)!] ?? {}, depth);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return pick(schema.enum);
    if (schema.anyOf) return someValue(pick(schema.anyOf), depth);
    switch (Array.isArray(schema.type) ? pick(schema.type) : schema.type) {
      case 'integer':
      case 'number': {
        const { minimum = 0, maximum = 1000 } = schema;
        return pick([
          minimum,
          Math.min(maximum, minimum + 5),
          Math.min(maximum, 1000),
          Math.floor(random() * 50) + minimum,
        ]);
      }
      case 'boolean':
        return chance(0.5);
      case 'array':
        return depth > 3
          ? []
          : Array.from({ length: Math.floor(random() * 3) }, () => someValue(schema.items ?? {}, depth + 1));
      case 'object':
        return Object.fromEntries(
          Object.entries(schema.properties ?? {})
            .filter(([name]) => schema.required?.includes(name) || chance(0.3))
            .map(([name, inner]) => [name, someValue(inner, depth + 1)]),
        );
      default:
        return pick(['a', 'true', 'stdout', 'tool', '2026-11-15T08:00:00Z', 'f'.repeat(64), ...ODD]);
    }
  }

  return (): RandomRequest => {
    const { path, method, operation } = pick(operations);
    const query: string[] = [];
    let address = path;
    for (const { in: place, name, required, schema } of operation.parameters ?? []) {
      if (place === 'path') {
        const value = name === 'id' && chance(0.85) ? pick(known.ids) : String(someValue(schema));
        address = address.replace(
          `{${name}}`,
          chance(0.9) ? encodeURIComponent(value) : value.replaceAll(/[\s\u0080-\uffff\u0000]/g, ''),
        );
      } else if (required || chance(0.5)) {
        query.push(`${name}=${encodeURIComponent(String(someValue(schema)))}`);
      }
    }
    if (chance(0.05)) query.push('surprise=1');
    const schema = operation.requestBody?.content['application/json']?.schema;
    // Random values rarely make a run that can be started.
    const whole = path === '/v1/runs' && chance(0.4) ? { command: ['true'] } : null;
    const body = schema ? JSON.stringify(whole ?? someValue(schema)) : chance(0.05) ? pick(ODD) : undefined;
    const asked = chance(0.03) ? pick(['PUT', 'PATCH', 'HEAD', 'POST', 'DELETE']) : method.toUpperCase();
    return {
      method: asked,
      path: `${address}${query.length > 0 ? `?${query.join('&')}` : ''}`,
      // HEAD has no body.
      ...(body === undefined || asked === 'HEAD' ? {} : { body: chance(0.05) ? body.slice(0, body.length / 2) : body }),
      headers: {
        ...(chance(0.2) ? { range: pick(['bytes=0-', 'bytes=5-1', 'bytes=-3', 'bytes=999999-', 'x', ',']) } : {}),
        ...(chance(0.1) ? { 'last-event-id': pick(['1', 'x', '-5', '99999999']) } : {}),
      },
    };
  };
}
