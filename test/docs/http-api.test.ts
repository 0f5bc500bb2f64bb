import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { loadConfig } from '../../src/config/index.ts';
import { createRunSchema, limitsSchema } from '../../src/protocol/index.ts';
import { locateDataHome, openDirector, scanLister } from '../../src/runs/index.ts';
import { ERROR_STATUS } from '../../src/server/error-status.ts';
import { createLog, createServer } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { expectGenerated, markdownTable, readPage } from './page.ts';

interface Operation {
  summary: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: { $ref?: string; properties?: object } }> };
}

test('the table of routes says what the OpenAPI document says', async () => {
  const { app } = await unheardServer();
  await app.ready();
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, Operation>> };
  const rows: string[][] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const route = `\`${method.toUpperCase()} ${path}\``;
      rows.push([route, await scopeOf(app, method, path), operation.summary, taken(operation)]);
    }
  }
  expectGenerated('docs/http-api.md', 'routes', markdownTable(['route', 'scope', '', 'takes'], rows));
});

test('the table of statuses says what ERROR_STATUS says', () => {
  const entries = Object.entries(ERROR_STATUS);
  const statuses = [...new Set(entries.map(([, status]) => status))].sort();
  const rows = statuses.map((status) => {
    const codes = entries.filter(([, other]) => other === status).map(([code]) => `\`${code}\``);
    return [String(status), codes.join(' ')];
  });
  expectGenerated('docs/http-api.md', 'statuses', markdownTable(['status', 'codes'], rows));
});

test('the table of metrics says what /metrics says', async () => {
  const { app } = await unheardServer('read');
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: 'Bearer some' } });
  const rows = Array.from(body.matchAll(/^# HELP (tacho_\S+) (.*)\n# TYPE \S+ (\S+)$/gm), ([, name, help, type]) => [
    `\`${name}\``,
    type!,
    help!,
  ]);
  expectGenerated('docs/service.md', 'metrics', markdownTable(['metric', 'type', ''], rows));
});

test('the tables of a new run name each of its fields', () => {
  expect(fieldsUnder('### Fields of a new run')).toEqual(fieldsOf(createRunSchema));
  expect(fieldsUnder('### Limits of a run')).toEqual(fieldsOf(limitsSchema));
});

/** A server nobody can reach: it is asked in this process, by a caller whose token has the scope. */
async function unheardServer(scope = 'none') {
  const home = temporaryFolder();
  const context = {
    home: locateDataHome({}, home),
    config: loadConfig({ workspaceRoot: home, env: {} }).config,
    env: {},
    version: 'test',
  };
  const tokens = { scopeOf: () => scope as never, admin: '' };
  const director = await openDirector({ context, command: [], index: scanLister(context.home) });
  onTestFinished(() => director.close());
  return createServer({ director, context, tokens, logger: createLog('silent') as never });
}

/** Whoever may do nothing is told what a route needs, before it does anything. */
async function scopeOf(
  app: Awaited<ReturnType<typeof unheardServer>>['app'],
  method: string,
  path: string,
): Promise<string> {
  const address = path.replaceAll(/\{(\w+)\}/g, '1');
  const answer = await app.inject({
    method: method.toUpperCase() as 'GET',
    url: address,
    headers: { authorization: 'Bearer some' },
  });
  if (answer.statusCode === 200) return '–';
  return (answer.json() as { error: { details: { needed: string } } }).error.details.needed;
}

/** Names of query parameters, or what the body is. */
function taken({ parameters = [], requestBody }: Operation): string {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `\`${name}\``);
  const { schema } = requestBody?.content['application/json'] ?? {};
  if (schema?.$ref)
    return `a ${schema.$ref
      .split('/')
      .at(-1)!
      .replace(/Input$/, '')}`;
  const fields = Object.keys(schema?.properties ?? {}).map((name) => `\`${name}\` in the body`);
  return [...query, ...fields].join(', ') || '–';
}

function fieldsOf(schema: z.ZodType): string[] {
  return Object.keys(z.toJSONSchema(schema, { io: 'input' }).properties ?? {}).sort();
}

function fieldsUnder(heading: string): string[] {
  const page = readPage('docs/http-api.md');
  const from = page.indexOf(`${heading}\n`);
  const section = page.slice(from, page.indexOf('\n#', from + 1));
  const cells = Array.from(section.matchAll(/^\| (`[^|]+`) \|/gm), ([, cell]) => cell!);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name!)).sort();
}
