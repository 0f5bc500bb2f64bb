import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { TachoError } from '../protocol/index.ts';
import { type Director, type RunContext, runtimesFolder, type Tokens } from '../runs/index.ts';
import { Agents } from './agents/agents.ts';
import { buildApp } from './app.ts';
import { ConnectionLimits, REQUEST_TIMEOUTS, type RequestTimeouts } from './connection-limits.ts';
import { createLog } from './log.ts';
import { createMetrics } from './metrics.ts';
import type { PageSource } from './page-files.ts';
import { ParseFigures } from './parse-figures.ts';
import type { RouteApp } from './service.ts';
import { RunListStream } from './streams/run-list-stream.ts';
import { StreamHub } from './streams/stream-hub.ts';
import { Terminals } from './terminals/terminals.ts';
import { Turns } from './turns.ts';

const HEARTBEAT_MS = 15_000;
/** A shutdown takes at most three seconds; then open connections are cut. */
const GRACE_MS = 2000;

export interface ServerOptions {
  director: Director;
  context: RunContext;
  tokens: Tokens;
  /** The command that starts tacho; without it the server starts no daemons, and neither replays nor forks agents. */
  command?: readonly string[];
  /** 127.0.0.1 by default: a client with a token can start programs. */
  host?: string;
  /** Any free port by default. */
  port?: number;
  /** Further host names of the server, for example behind a proxy. */
  allowedHosts?: readonly string[];
  /** Address by which browsers reach the server behind a proxy. */
  publicUrl?: string;
  /** Origins of other pages that may send requests. */
  allowedOrigins?: readonly string[];
  logger?: FastifyBaseLogger;
  /** The built Studio; without it the server has no page. */
  page?: PageSource;
  heartbeatMs?: number;
  timeouts?: RequestTimeouts;
}

export interface Server {
  /** For adding routes before `listen`. */
  app: RouteApp;
  /** Throws PORT_UNAVAILABLE. */
  listen(): Promise<{ url: string; port: number }>;
  /** Ends all streams and finishes open requests, within three seconds. The director stays open. */
  close(): Promise<void>;
}

/** Serves runs over HTTP. Its state is on disk or in the director. */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { director, context, tokens, host = '127.0.0.1', port = 0, heartbeatMs = HEARTBEAT_MS } = options;
  const { allowedHosts = [], allowedOrigins = [], logger = createLog(), page = null, command = null } = options;
  const { timeouts = REQUEST_TIMEOUTS, publicUrl = '' } = options;
  const parsing = new ParseFigures(context.home.runs);
  const runList = new RunListStream(heartbeatMs);
  const terminals = new Terminals({
    folder: runtimesFolder(context.home),
    command,
    // Started programs must use the same data folder.
    environment: { ...context.env, TACHO_HOME: context.home.root },
    heartbeatMs,
  });
  const streams: StreamHub = new StreamHub({
    context,
    heartbeatMs,
    onDelivered: (kind, events) => metrics.delivered(kind, events),
  });
  const metrics = createMetrics({
    director,
    parsing,
    streams: (kind) => streams.readersOf(kind),
    listReaders: () => runList.readers,
    terminalReaders: () => terminals.readers,
  });
  let limits: ConnectionLimits | null = null;
  const app = await buildApp(
    {
      director,
      context,
      streams,
      runList,
      terminals,
      agents: new Agents({ context, command }),
      metrics,
      turns: new Turns(),
    },
    {
      guard: {
        tokens,
        host,
        allowedHosts,
        publicUrl: publicUrl === '' ? null : new URL(publicUrl),
        allowedOrigins,
        onAuthenticated: (socket) => limits?.trust(socket),
      },
      logger,
      page,
      timeouts,
    },
  );
  limits = new ConnectionLimits(app.server, logger);
  const unsubscribe = director.subscribe((change) => {
    runList.publish(change);
    if ('removed' in change) streams.closeRun(change.removed, 'removed');
    else parsing.note(change.run).catch((error: unknown) => logger.warn({ err: error }, 'figures not updated'));
  });

  async function listen(): Promise<{ url: string; port: number }> {
    try {
      await app.listen({ host, port });
    } catch (cause) {
      throw unavailable(cause as NodeJS.ErrnoException, host, port);
    }
    const { port: bound } = app.server.address() as AddressInfo;
    return { url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`, port: bound };
  }

  async function close(): Promise<void> {
    unsubscribe();
    const cutTimer = setTimeout(() => app.server.closeAllConnections(), GRACE_MS);
    app.server.closeIdleConnections();
    runList.close();
    await Promise.all([streams.close(), terminals.endStreams(), app.close()]);
    terminals.close();
    clearTimeout(cutTimer);
  }

  return { app, listen, close };
}

function unavailable(cause: NodeJS.ErrnoException, host: string, port: number): unknown {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'another program listens there',
    EACCES: 'it may not be used by this user',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'the name is not known',
    EAI_AGAIN: 'the name is not known',
  };
  const reason = reasons[cause.code ?? ''];
  if (reason === undefined) return cause;
  return new TachoError('PORT_UNAVAILABLE', `${host} port ${port} cannot be listened on: ${reason}`, {
    facts: { host, port, errno: cause.code },
    cause,
    fix: 'Choose another port with --port; 0 takes any free one.',
  });
}
