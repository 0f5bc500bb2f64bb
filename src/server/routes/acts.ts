import { replyAnswerSchema, replySchema, runViewSchema } from '../../protocol/index.ts';
import { answers, nothing } from '../answers.ts';
import { locateRun } from '../locate-run.ts';
import { resizeSchema, runInputSchema, runParams } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** Act on a run: reply, cancel, type into its terminal. */
export function actRoutes(app: RouteApp, { director, context }: Service): void {
  /** The director also accepts id prefixes; over the network only complete ids are accepted. */
  const runOf = (id: string) => locateRun(context.home.runs, id).runId;

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/reply',
    config: { scope: 'reply' },
    schema: {
      summary: 'Answers the question a run waits with; its next attempt begins.',
      params: runParams,
      body: replySchema,
      response: answers(200, replyAnswerSchema),
    },
    handler: ({ params, body }) => director.reply(runOf(params.id), body),
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/cancel',
    config: { scope: 'admin' },
    schema: {
      summary: 'Ends a run. One that has ended stays as it is.',
      params: runParams,
      response: answers(200, runViewSchema),
    },
    handler: ({ params }) => director.cancel(runOf(params.id)),
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/input',
    config: { scope: 'admin' },
    schema: {
      summary: 'Types into the terminal of a live run.',
      params: runParams,
      body: runInputSchema,
      response: answers(204, nothing),
    },
    handler: async ({ params, body: { text, base64, piped, end } }, reply) => {
      const bytes = text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text);
      await director.input(runOf(params.id), bytes, { piped, end });
      return reply.code(204).send();
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/runs/:id/resize',
    config: { scope: 'admin' },
    schema: {
      summary: 'Gives the terminal of a live run another size.',
      params: runParams,
      body: resizeSchema,
      response: answers(204, nothing),
    },
    handler: async ({ params, body: { cols, rows } }, reply) => {
      await director.resize(runOf(params.id), cols, rows);
      return reply.code(204).send();
    },
  });
}
