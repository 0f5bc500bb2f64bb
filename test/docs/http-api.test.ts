import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../src/config/index.ts';
import { limitsSchema, runRequestSchema } from '../../src/protocol/index.ts';
import { locateDataHome, openDirector, openRunIndex } from '../../src/runs/index.ts';
import { ERROR_STATUS } from '../../src/server/error-status.ts';
import { createLog, createServer } from '../../src/server/index.ts';
import { temporaryFolder } from '../support/tacho.ts';
import { expectGenerated, markdownTable, readPage } from './page.ts';

interface Schema {
  $ref?: string;
  properties?: object;
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Operation {
  summary: string;
  parameters?: { in: string; name: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

test('the table of routes matches the OpenAPI document', async () => {
  const { app } = await serverWithoutPort();
  await app.ready();
  const { paths, components } = app.swagger() as unknown as OpenApi;
  const rows: string[][] = [];
  for (const [address, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const route = `\`${method.toUpperCase()} ${address}\``;
      rows.push([route, await scopeOf(app, method, address), operation.summary, taken(operation, components.schemas)]);
    }
  }
  expectGenerated('docs/http-api.md', 'routes', markdownTable(['route', 'scope', '', 'takes'], rows));
});

test('the table of statuses matches ERROR_STATUS', () => {
  const entries = Object.entries(ERROR_STATUS);
  const statuses = [...new Set(entries.map(([, status]) => status))].sort();
  const rows = statuses.map((status) => {
    const codes = entries.filter(([, other]) => other === status).map(([code]) => `\`${code}\``);
    return [String(status), codes.join(' ')];
  });
  expectGenerated('docs/http-api.md', 'statuses', markdownTable(['status', 'codes'], rows));
});

test('the table of metrics matches /metrics', async () => {
  const { app } = await serverWithoutPort('read');
  const { body } = await app.inject({ url: '/metrics', headers: { authorization: 'Bearer some' } });
  const rows = Array.from(body.matchAll(/^# HELP (tacho_\S+) (.*)\n# TYPE \S+ (\S+)$/gm), ([, name, help, type]) => [
    `\`${name}\``,
    type!,
    help!,
  ]);
  expectGenerated('docs/service.md', 'metrics', markdownTable(['metric', 'type', ''], rows));
});

test('the tables of a new run name each of its fields', () => {
  expect(fieldsUnder('### Fields of a new run')).toEqual(fieldsOf(runRequestSchema));
  expect(fieldsUnder('### Limits of a run')).toEqual(fieldsOf(limitsSchema));
});

/** A server without a port: called in this process, with a token of the given scope. */
async function serverWithoutPort(scope = 'none') {
  const home = temporaryFolder();
  const context = {
    home: locateDataHome({}, home),
    config: loadConfig({ workspaceRoot: home, env: {} }).config,
    env: {},
    version: 'test',
  };
  const tokens = { scopeOf: () => scope as never, admin: '' };
  const index = await openRunIndex({ file: path.join(home, 'index.db'), runsRoot: context.home.runs });
  const director = await openDirector({ context, command: [], index });
  onTestFinished(() => director.close());
  return createServer({ director, context, tokens, logger: createLog('silent') as never });
}

/** A caller without rights gets the scope that a route needs, before it does anything. */
async function scopeOf(
  app: Awaited<ReturnType<typeof serverWithoutPort>>['app'],
  method: string,
  address: string,
): Promise<string> {
  const answer = await app.inject({
    method: method.toUpperCase() as 'GET',
    url: address.replaceAll(/\{\w+\}/g, '1'),
    headers: { authorization: 'Bearer some' },
  });
  if (answer.statusCode === 200) return '–';
  return (answer.json() as { error: { details: { needed: string } } }).error.details.needed;
}

/** Names of query parameters, or of the fields of the body. */
function taken({ parameters = [], requestBody }: Operation, schemas: Record<string, Schema>): string {
  const query = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => `\`${name}\``);
  if (!requestBody) return query.join(', ') || '–';
  const { schema } = requestBody.content['application/json']!;
  const name = schema.$ref?.split('/').at(-1);
  if (name === 'RunRequestInput') return 'body: [a new run](#fields-of-a-new-run)';
  const { properties = {} } = name === undefined ? schema : schemas[name]!;
  return `body: ${Object.keys(properties)
    .map((field) => `\`${field}\``)
    .join(', ')}`;
}

function fieldsOf({ shape }: { shape: object }): string[] {
  return Object.keys(shape).sort();
}

function fieldsUnder(heading: string): string[] {
  const page = readPage('docs/http-api.md');
  const from = page.indexOf(`${heading}\n`);
  const section = page.slice(from, page.indexOf('\n#', from + 1));
  const cells = Array.from(section.matchAll(/^\| (`[^|]+`) \|/gm), ([, cell]) => cell!);
  return cells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name!)).sort();
}
