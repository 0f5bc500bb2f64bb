import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyRequest, LogController } from 'fastify';
import { validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { TachoError } from '../protocol/index.ts';
import type { RequestTimeouts } from './connection-limits.ts';
import { answerError } from './error-answer.ts';
import { createGuard, type GuardOptions } from './guard.ts';
import { documentRoutes } from './openapi.ts';
import type { PageSource } from './page-files.ts';
import { aboutRoutes } from './routes/about.ts';
import { actRoutes } from './routes/acts.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { eventRoutes } from './routes/events.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { pageRoutes, sendPageFile } from './routes/page.ts';
import { rawRoutes } from './routes/raw.ts';
import { recordRoutes } from './routes/record.ts';
import { runRoutes } from './routes/runs.ts';
import { terminalRoutes } from './routes/terminals.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { RouteApp, Service } from './service.ts';
import { closeUnreadBodies, createBrokenRequestHandler } from './unread-bodies.ts';

const LARGEST_BODY = 1024 * 1024;
const LONGEST_PARAMETER = 256;

export interface AppOptions {
  guard: GuardOptions;
  logger: FastifyBaseLogger;
  page: PageSource | null;
  timeouts: RequestTimeouts;
}

/** The routes, and what holds for all of them. */
export async function buildApp(service: Service, { guard, logger, page, timeouts }: AppOptions): Promise<RouteApp> {
  const app: RouteApp = Fastify({
    loggerInstance: logger,
    // One line a request, written below when it is answered.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: LARGEST_BODY,
    requestTimeout: timeouts.requestMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkMs },
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    // A request that is already there is still answered while the server closes.
    return503OnClosing: false,
    genReqId: requestId,
    clientErrorHandler: createBrokenRequestHandler(timeouts.lingerMs),
    frameworkErrors: answerError,
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  // Answers are typed where they are made; the schemas are for the document.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(answerError);
  acceptJsonOnly(app);
  closeUnreadBodies(app, timeouts.lingerMs);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
  });
  app.addHook('onRequest', createGuard(guard));
  app.addHook('onRequest', async ({ is404, method }) => {
    // Before its body is read.
    if (is404 && method !== 'GET') throw nothingHere(method);
  });
  app.addHook('onResponse', async (request, reply) => {
    const { url: route, config } = request.routeOptions;
    request.log.info({ req: request, res: reply, ms: Math.round(reply.elapsedTime) }, 'answered');
    if (config.endless) return;
    const labels = { method: request.method, route: route ?? 'none', status: reply.statusCode };
    service.metrics.answered(labels, reply.elapsedTime / 1000);
  });

  await documentRoutes(app, service.context.version);
  const runs = [runRoutes, eventRoutes, rawRoutes, recordRoutes, actRoutes, approvalRoutes, ledgerRoutes];
  for (const routes of [...runs, terminalRoutes, aboutRoutes]) routes(app, service);
  const studio = page === null ? null : pageRoutes(app, page);
  app.setNotFoundHandler((request, reply) => {
    const { method, headers } = request;
    // A person who mistyped an address is told so by the page.
    if (studio && method === 'GET' && headers.accept?.includes('text/html')) {
      return sendPageFile(studio, request, reply.code(404));
    }
    throw nothingHere(method);
  });
  return app;
}

function nothingHere(method: string): TachoError {
  return new TachoError('NOT_FOUND', `there is nothing at this address that answers ${method}`, {
    fix: 'See /v1/openapi.json for what there is.',
  });
}

/** The one a client gives, so that its log and ours can be put side by side; otherwise one of our own. */
function requestId({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

/** A form on another page can send plain text; it cannot send JSON. Where nothing is asked for, nothing may be sent. */
function acceptJsonOnly(app: RouteApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
