import { seededRandom } from './damage-lines.ts';

interface Operation {
  parameters?: { name: string; in: string; schema?: { type?: string; enum?: unknown[] } }[];
  requestBody?: object;
}

/** Requests to every operation of an OpenAPI document, with valid, invalid, odd or missing values. */
export function* damagedRequests(
  document: object,
  runId: string,
  count: number,
): Generator<{ method: string; target: string; body: string }> {
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  // Streams never end by themselves, and a created run would have to be awaited.
  const usable = operations.filter(
    ({ path, method }) => !path.endsWith('/stream') && !(method === 'POST' && path === '/v1/runs'),
  );
  const random = seededRandom(20_261_115);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const odd = () =>
    pick([
      '',
      '0',
      '-1',
      '1',
      '99999999999999999999',
      'NaN',
      'null',
      'last',
      '..',
      '%2e%2e%2f',
      'ü🙂',
      "'; drop",
      '[]',
      '{}',
      '1e309',
      'stdout.1',
      'a'.repeat(3000),
      runId,
    ]);
  for (let n = 0; n < count; n++) {
    const { path, method, operation } = pick(usable);
    const known: Record<string, string> = { id: runId, stream: 'stdout', n: '1', attempt: '1' };
    const target = path.replaceAll(/\{([^}]+)\}/g, (_, name: string) =>
      encodeURIComponent(random() < 0.7 ? (known[name] ?? odd()) : odd()),
    );
    const query = (operation.parameters ?? [])
      .filter((parameter) => parameter.in === 'query' && random() < 0.5)
      .map(
        ({ name, schema }) =>
          `${encodeURIComponent(name)}=${encodeURIComponent(String(random() < 0.3 && schema?.enum ? pick(schema.enum) : odd()))}`,
      );
    const bodies = [
      '',
      '{}',
      '[]',
      'null',
      '{',
      '{"text":1}',
      '{"interaction_id":"1.1","text":"x"}',
      '{"decision":"approved"}',
      '{"cols":0,"rows":-1}',
      '{"data":"eA=="}',
    ];
    const body = method === 'GET' || method === 'DELETE' ? '' : pick(bodies);
    yield {
      method: method === 'DELETE' && random() < 0.9 ? 'GET' : method,
      target: query.length > 0 ? `${target}?${query.join('&')}` : target,
      body,
    };
  }
}
