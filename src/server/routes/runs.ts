import { runPageSchema, runRequestSchema, runViewSchema } from '../../protocol/index.ts';
import { answers, nothing } from '../answers.ts';
import { locateRun } from '../locate-run.ts';
import { listQuery, runParams, startHeaders } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** Start, list, read and remove runs. */
export function runRoutes(app: RouteApp, { director, context }: Service): void {
  app.route({
    method: 'POST',
    url: '/v1/runs',
    config: { scope: 'admin' },
    schema: {
      summary: 'Starts a run: an engine with a prompt, or a command.',
      headers: startHeaders,
      body: runRequestSchema,
      response: { ...answers(201, runViewSchema), ...answers(200, runViewSchema) },
    },
    handler: async ({ headers, body }, reply) => {
      const key = headers['idempotency-key'];
      const { run, repeated } =
        key === undefined
          ? { run: await director.create(body), repeated: false }
          : await director.createOnce(key, body);
      return reply
        .code(repeated ? 200 : 201)
        .header('location', `/v1/runs/${run.run_id}`)
        .send(run);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/runs',
    config: { scope: 'read' },
    schema: {
      summary: 'Lists runs, the newest first.',
      querystring: listQuery,
      response: answers(200, runPageSchema),
    },
    handler: ({ query }) => director.list(query),
  });

  app.route({
    method: 'GET',
    url: '/v1/runs/:id',
    config: { scope: 'read' },
    schema: {
      summary: 'Reads a run.',
      params: runParams,
      response: answers(200, runViewSchema),
    },
    handler: async ({ params }) => {
      const folder = locateRun(context.home.runs, params.id);
      return director.get(folder.runId);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/v1/runs/:id',
    config: { scope: 'admin' },
    schema: {
      summary: 'Removes a run that has ended, with all it left.',
      params: runParams,
      response: answers(204, nothing),
    },
    handler: async ({ params }, reply) => {
      await director.remove(locateRun(context.home.runs, params.id).runId);
      return reply.code(204).send();
    },
  });
}
