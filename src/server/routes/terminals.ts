import {
  createTerminalSchema,
  RUNTIME_METHODS,
  terminalCommandSchema,
  terminalSignalSchema,
  terminalsAnswerSchema,
  terminalViewSchema,
} from '../../protocol/index.ts';
import { answers, answersWith, nothing } from '../answers.ts';
import { inputSchema, resizeSchema, terminalParams, terminalStreamQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** Terminal sessions of all workspaces: open, list, follow, type, end. */
export function terminalRoutes(app: RouteApp, { terminals }: Service): void {
  app.route({
    method: 'POST',
    url: '/v1/terminals',
    config: { scope: 'admin' },
    schema: {
      summary: 'Opens a session in a workspace.',
      body: createTerminalSchema,
      response: answers(201, terminalViewSchema),
    },
    handler: async ({ body }, reply) => {
      const terminal = await terminals.create(body);
      return reply.code(201).header('location', `/v1/terminals/${terminal.terminal_id}`).send(terminal);
    },
  });

  app.route({
    method: 'GET',
    url: '/v1/terminals',
    config: { scope: 'read' },
    schema: {
      summary: 'Lists the sessions of all workspaces whose daemon runs.',
      response: answers(200, terminalsAnswerSchema),
    },
    handler: () => terminals.list(),
  });

  app.route({
    method: 'GET',
    url: '/v1/terminals/:id',
    config: { scope: 'read' },
    schema: {
      summary: 'Reads a session.',
      params: terminalParams,
      response: answers(200, terminalViewSchema),
    },
    handler: ({ params }) => terminals.find(params.id).readView(),
  });

  app.route({
    method: 'GET',
    url: '/v1/terminals/:id/stream',
    exposeHeadRoute: false,
    config: { scope: 'read', endless: true },
    schema: {
      summary: 'Follows a session: its screen, then everything it prints, until it ends.',
      params: terminalParams,
      querystring: terminalStreamQuery,
      response: answersWith(
        'text/event-stream',
        'terminal.opened, then terminal.output, terminal.gap and terminal.changed frames whose id is the cursor, then stream.closed.',
      ),
    },
    handler: ({ params, query, headers }, reply) =>
      terminals.stream(params.id, reply, query.cursor ?? lastEventId(headers['last-event-id'])),
  });

  app.route({
    method: 'POST',
    url: '/v1/terminals/:id/input',
    config: { scope: 'admin' },
    schema: {
      summary: 'Types into a session.',
      params: terminalParams,
      body: inputSchema,
      response: answers(204, nothing),
    },
    handler: async ({ params, body: { text, base64 } }, reply) => {
      await terminals.find(params.id).input(text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text));
      return reply.code(204).send();
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/terminals/:id/resize',
    config: { scope: 'admin' },
    schema: {
      summary: 'Gives a `pty` another size.',
      params: terminalParams,
      body: resizeSchema,
      response: answers(204, nothing),
    },
    handler: async ({ params, body }, reply) => {
      await terminals.find(params.id).resize(body);
      return reply.code(204).send();
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/terminals/:id/signal',
    config: { scope: 'admin' },
    schema: {
      summary: 'Sends a signal to what runs in the foreground of a session.',
      params: terminalParams,
      body: terminalSignalSchema,
      response: answers(200, RUNTIME_METHODS['session.signal'].result),
    },
    handler: ({ params, body }) => terminals.find(params.id).signal(body.signal),
  });

  app.route({
    method: 'POST',
    url: '/v1/terminals/:id/exec',
    config: { scope: 'admin' },
    schema: {
      summary: 'Runs a command in a `shell`; answered when it has ended.',
      params: terminalParams,
      body: terminalCommandSchema,
      response: answers(200, RUNTIME_METHODS['exec.run'].result),
    },
    handler: ({ params, body }) => terminals.find(params.id).run(body),
  });

  app.route({
    method: 'POST',
    url: '/v1/terminals/:id/kill',
    config: { scope: 'admin' },
    schema: {
      summary: 'Ends a session with everything in it. It is not listed afterwards.',
      params: terminalParams,
      response: answers(200, terminalViewSchema),
    },
    handler: ({ params }) => terminals.find(params.id).kill(),
  });
}

/** The stream restarts for an invalid id, so it is not checked here. */
function lastEventId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}
