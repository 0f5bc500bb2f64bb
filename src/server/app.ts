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
import { agentRoutes } from './routes/agents.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { eventRoutes } from './routes/events.ts';
import { ledgerRoutes } from './routes/ledger.ts';
import { pageRoutes, sendPageFile } from './routes/page.ts';
import { rawRoutes } from './routes/raw.ts';
import { recordRoutes } from './routes/record.ts';
import { runRoutes } from './routes/runs.ts';
import { skillRoutes } from './routes/skills.ts';
import { terminalRoutes } from './routes/terminals.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { RouteApp, Service } from './service.ts';
import { closeUnreadBodies, createBrokenRequestHandler } from './unread-bodies.ts';

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_PARAMETER_LENGTH = 256;

export interface AppOptions {
  guard: GuardOptions;
  logger: FastifyBaseLogger;
  page: PageSource | null;
  timeouts: RequestTimeouts;
}

/** All routes, and the hooks that apply to every request. */
export async function buildApp(service: Service, { guard, logger, page, timeouts }: AppOptions): Promise<RouteApp> {
  const app: RouteApp = Fastify({
    loggerInstance: logger,
    // The hook below logs one line for each request, after the response.
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: timeouts.requestMs,
    http: { headersTimeout: timeouts.headersMs, connectionsCheckingInterval: timeouts.checkMs },
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    // While the server closes, it still answers requests that have already arrived.
    return503OnClosing: false,
    genReqId: requestId,
    clientErrorHandler: createBrokenRequestHandler(timeouts.lingerMs),
    frameworkErrors: answerError,
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  // Handlers are typed; the response schemas are only for the OpenAPI document.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data));
  app.setErrorHandler(answerError);
  acceptJsonOnly(app);
  closeUnreadBodies(app, timeouts.lingerMs);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...SECURITY_HEADERS, 'x-request-id': request.id });
  });
  app.addHook('onRequest', createGuard(guard));
  app.addHook('onRequest', async ({ is404, method }) => {
    // Fails before the body is read.
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
  for (const routes of [...runs, agentRoutes, terminalRoutes, skillRoutes, aboutRoutes]) routes(app, service);
  const basePath = guard.publicUrl?.pathname.replace(/\/$/, '') ?? '';
  const studio = page === null ? null : pageRoutes(app, page, basePath);
  app.setNotFoundHandler((request, reply) => {
    const { method, headers } = request;
    // The Studio shows its own message for an unknown address.
    if (studio && method === 'GET' && headers.accept?.includes('text/html')) {
      return sendPageFile(studio, request, reply.code(404));
    }
    if (basePath !== '' && request.url.startsWith(`${basePath}/`)) throw keptPath(basePath);
    throw nothingHere(method);
  });
  return app;
}

function nothingHere(method: string): TachoError {
  return new TachoError('NOT_FOUND', `there is nothing at this address that answers ${method}`, {
    fix: 'See /v1/openapi.json for what there is.',
  });
}

function keptPath(basePath: string): TachoError {
  return new TachoError('NOT_FOUND', `the proxy passes on the path ${basePath} of service.public_url`, {
    fix: `Let the proxy remove it, in nginx with: location ${basePath}/ { proxy_pass http://127.0.0.1:7433/; }`,
  });
}

/** Uses the client's request id, so that both logs can be matched; otherwise a new one. */
function requestId({ headers }: Pick<FastifyRequest, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
}

/** A form on a foreign page can send plain text, but not JSON. Routes without a body accept none. */
function acceptJsonOnly(app: RouteApp): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body as string, done);
  });
}
