import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, isIPv6 } from 'node:net';
import { TachoError } from '../protocol/index.ts';
import { sendJson } from './deliver.ts';
import { handleRequest } from './handle-request.ts';
import { RequestLog } from './request-log.ts';
import type { RequestRecord } from './request-record.ts';
import { isScenario, SCENARIOS } from './scenarios.ts';
import type { Script, ServerState } from './server-state.ts';
import { openaiError } from './wire/openai-error.ts';

interface ModelServerOptions {
  /** 0, the default, selects a free one. */
  port?: number;
  host?: string;
  /** For requests whose path names none. */
  scenario?: string;
  /** The pause between the parts of a slow reply. */
  delayMs?: number;
  /** Number of requests that the scenario r429 refuses per key. */
  refusals?: number;
  /** Answers instead of the scenarios, for programs with scripts of their own. */
  script?: Script;
}

export interface ModelServer {
  url: string;
  port: number;
  /** The last requests, oldest first. */
  requests(): RequestRecord[];
  close(): Promise<void>;
}

/** Starts a server that implements the protocols of model services and answers by script. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const { port = 0, host = '127.0.0.1', scenario = 'text', delayMs = 250, refusals = 1, script = null } = options;
  if (!isScenario(scenario)) throw unknownScenario(scenario);
  const state: ServerState = {
    defaultScenario: scenario,
    pauseMs: delayMs,
    refusals,
    script,
    log: new RequestLog(),
    memories: new Map(),
  };
  const server = createServer((request, response) => void serve(request, response, state));
  // Agents keep connections and reuse them after minutes of work; a connection closed meanwhile looks like a failure.
  server.keepAliveTimeout = 10 * 60_000;
  await listen(server, port, host);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${reachableName(host)}:${address.port}`,
    port: address.port,
    requests: () => state.log.records(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, state: ServerState): Promise<void> {
  try {
    await handleRequest(request, response, state);
  } catch (error) {
    if (response.headersSent || response.destroyed) response.destroy();
    else sendJson(response, 500, openaiError(500, `internal error in the demo server: ${(error as Error).message}`));
  }
}

function listen(server: ReturnType<typeof createServer>, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port, host)));
    server.listen(port, host, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

function cannotListen(cause: NodeJS.ErrnoException, port: number, host: string): TachoError {
  const facts = { host, port, reason: cause.code };
  if (cause.code === 'EADDRINUSE') {
    const fix = 'End what listens there, choose another one with --port, or let the system choose with --port 0.';
    return new TachoError('PORT_UNAVAILABLE', `port ${port} of ${host} is already in use`, { facts, fix, cause });
  }
  const fix = 'Choose an address of this machine with --host (127.0.0.1) and a port above 1023 with --port.';
  const message = `cannot listen on ${host} port ${port}: ${cause.message}`;
  return new TachoError('PORT_UNAVAILABLE', message, { facts, fix, cause });
}

function unknownScenario(name: string): TachoError {
  const known = SCENARIOS.map((scenario) => scenario.name);
  return new TachoError('USAGE', `there is no scenario '${name}'`, {
    facts: { known },
    fix: `Choose one of: ${known.join(', ')}`,
  });
}

/** A host name that local clients can use, unlike "all addresses". */
function reachableName(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return isIPv6(host) ? `[${host}]` : host;
}
