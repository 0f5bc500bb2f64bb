import http from 'node:http';
import { expect, test } from 'vitest';
import { errorAnswerSchema } from '../../src/protocol/index.ts';
import { seededRandom } from '../support/damage-lines.ts';
import { proofSize } from '../support/proof-size.ts';
import { IMPORT_CODEX } from '../support/recordings.ts';
import { sandbox } from '../support/tacho.ts';
import { makeRun, rawDraft, statusDraft } from './support/make-run.ts';
import { memoryDirector, someRun } from './support/memory-director.ts';
import { createRequests, type JsonSchema, type OpenApi, type RandomRequest } from './support/random-request.ts';
import { type Served, serve } from './support/serve.ts';

const PARALLEL = 8;

const ROUTES = [
  'GET /metrics',
  'GET /v1/approvals',
  'POST /v1/approvals/{id}/decision',
  'GET /v1/engines',
  'GET /v1/health',
  'GET /v1/ledger/head',
  'POST /v1/ledger/verify',
  'GET /v1/runs',
  'POST /v1/runs',
  'GET /v1/runs/{id}',
  'DELETE /v1/runs/{id}',
  'GET /v1/runs/{id}/agent',
  'POST /v1/runs/{id}/agent/fork',
  'GET /v1/runs/{id}/agent/prompt',
  'POST /v1/runs/{id}/agent/replay',
  'GET /v1/runs/{id}/attempts/{attempt}',
  'GET /v1/runs/{id}/bundle',
  'POST /v1/runs/{id}/cancel',
  'GET /v1/runs/{id}/conversation',
  'GET /v1/runs/{id}/conversation/stream',
  'GET /v1/runs/{id}/events',
  'GET /v1/runs/{id}/events/stream',
  'GET /v1/runs/{id}/files',
  'GET /v1/runs/{id}/files/content',
  'POST /v1/runs/{id}/input',
  'GET /v1/runs/{id}/raw/{stream}.{attempt}',
  'GET /v1/runs/{id}/raw/{stream}.{attempt}/lines',
  'GET /v1/runs/{id}/raw/{stream}.{attempt}/search',
  'POST /v1/runs/{id}/reply',
  'POST /v1/runs/{id}/resize',
  'GET /v1/runs/{id}/result',
  'GET /v1/runs/{id}/timing/{attempt}',
  'GET /v1/runs/{id}/artifacts/{path}',
  'GET /v1/runs/{id}/transcript',
  'POST /v1/runs/{id}/verify',
  'GET /v1/skills',
  'GET /v1/skills/{name}',
  'GET /v1/stream',
  'GET /v1/terminals',
  'POST /v1/terminals',
  'GET /v1/terminals/{id}',
  'POST /v1/terminals/{id}/exec',
  'POST /v1/terminals/{id}/input',
  'POST /v1/terminals/{id}/kill',
  'POST /v1/terminals/{id}/resize',
  'POST /v1/terminals/{id}/signal',
  'GET /v1/terminals/{id}/stream',
];

test('the document is OpenAPI 3.1, describes every route, and has no dangling references', async () => {
  const { ask } = await serve({ director: memoryDirector() });
  const document = (await ask('/v1/openapi.json')).json as OpenApi;
  expect(document.openapi).toBe('3.1.0');
  const routes = Object.entries(document.paths).flatMap(([address, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${address}`),
  );
  expect(routes.sort()).toEqual([...ROUTES].sort());
  const text = JSON.stringify(document);
  const names = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
  expect([...new Set(names)].sort()).toEqual(Object.keys(document.components.schemas).sort());
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Run', 'RaspEvent', 'FcmpMessage', 'Error']),
  );
  for (const [address, methods] of Object.entries(document.paths)) {
    for (const [method, { responses, parameters = [] }] of Object.entries(methods)) {
      expect(Object.keys(responses), `${method} ${address}`).toEqual(expect.arrayContaining(['4XX', '5XX']));
      const inPath = parameters.filter(({ in: place }) => place === 'path').map(({ name }) => name);
      expect(inPath.sort(), address).toEqual([...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort());
    }
  }
  const run = document.components.schemas.Run as JsonSchema;
  expect(run.required).toEqual(expect.arrayContaining(['run_id', 'status', 'head_seq']));
});

test('random requests cause no internal error, and all errors have one format', async () => {
  const box = sandbox();
  const { run_id } = await box.jsonHere(IMPORT_CODEX);
  const command = await box.jsonHere(['run', '--', 'sh', '-c', 'echo hello; echo text > made.txt']);
  const live = await makeRun(box.home, 'waiting_user');
  await live.append([statusDraft('running'), rawDraft('hello\n')]);
  const director = memoryDirector();
  Object.assign(director.answer, {
    create: someRun(),
    get: someRun(),
    list: { runs: [], next_cursor: null, total: 0 },
    cancel: someRun(),
    reply: { run_id, interaction_id: 'q', attempt: 2, accepted_at: '2026-11-15T08:00:00Z' },
    approvals: [],
    decide: {},
  });
  const served = await serve({ director, home: box.home });
  const document = (await served.ask('/v1/openapi.json')).json as OpenApi;
  const ids = [run_id, run_id.slice(-8), command.run_id, command.run_id.slice(-8), live.folder.runId];
  const next = createRequests(document, { ids }, seededRandom(20_261_115));
  const requests = proofSize({ small: 600, full: 1000 });
  const statuses = new Map<number, number>();
  const ask = async () => {
    for (let n = 0; n < requests / PARALLEL; n++) {
      const request = next();
      const { status, body } = await send(served, request);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const shown = JSON.stringify(request);
      expect(status, `${shown}\n${body}`).toBeLessThan(500);
      if (status >= 400 && request.method !== 'HEAD') {
        expect(errorAnswerSchema.safeParse(JSON.parse(body)).error, `${shown}\n${body}`).toBeUndefined();
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, ask));
  expect([...statuses.values()].reduce((sum, count) => sum + count)).toBe(requests);
  // The requests are drawn from the schemas, so their mix changes with the schemas.
  for (const status of [200, 201, 204, 400, 404]) {
    expect(statuses.get(status) ?? 0, String(status)).toBeGreaterThan(requests / 300);
  }
  expect((await served.ask('/v1/health')).status).toBe(200);
  expect(served.log()).not.toContain('"level":50');
});

/** Reads only the beginning of a long-lived stream. */
function send({ port, headersFor }: Served, { method, path: address, body, headers }: RandomRequest) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = http.request(
      { port, method, path: address, headers: { ...headersFor('admin'), ...type, ...headers }, agent: false },
      (response) => {
        const status = response.statusCode!;
        let text = '';
        response.on('data', (bytes: Buffer) => {
          text += bytes.toString();
          if (!response.headers['content-type']?.startsWith('text/event-stream')) return;
          response.destroy();
          resolve({ status, body: text });
        });
        response.on('end', () => resolve({ status, body: text }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}
