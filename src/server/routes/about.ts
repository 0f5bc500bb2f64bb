import { enginesAnswerSchema, healthSchema } from '../../protocol/index.ts';
import { engineFacts } from '../../runs/index.ts';
import { answers, answersWith } from '../answers.ts';
import type { RouteApp, Service } from '../service.ts';

/** The server itself: health, metrics, engines, and changes in the list of runs. */
export function aboutRoutes(app: RouteApp, { context, metrics, runList }: Service): void {
  app.route({
    method: 'GET',
    url: '/v1/health',
    config: { scope: 'public' },
    schema: {
      summary: 'Answers while the server lives; needs no token.',
      security: [],
      response: answers(200, healthSchema),
    },
    handler: () => ({ status: 'ok' as const, version: context.version }),
  });

  app.route({
    method: 'GET',
    url: '/metrics',
    config: { scope: 'read' },
    schema: {
      summary: 'Figures for Prometheus.',
      response: answersWith('text/plain', 'The figures.'),
    },
    handler: async (_request, reply) => reply.type(metrics.contentType).send(await metrics.read()),
  });

  app.route({
    method: 'GET',
    url: '/v1/engines',
    config: { scope: 'read' },
    schema: {
      summary: 'Engines, whether they are installed, and what they can do.',
      response: answers(200, enginesAnswerSchema),
    },
    handler: () => ({ engines: engineFacts(context) }),
  });

  app.route({
    method: 'GET',
    url: '/v1/stream',
    exposeHeadRoute: false,
    config: { scope: 'read', endless: true },
    schema: {
      summary: 'Follows the list of runs: each run that changes, as it is then.',
      response: answersWith('text/event-stream', 'stream.opened, then run_changed and run_removed frames.'),
    },
    handler: (_request, reply) => runList.stream(reply),
  });
}
