import fs from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';

/** Time limits of requests. Responses have none: a stream may last as long as it needs. */
export interface RequestTimeouts {
  /** From the start of a request, or of its connection, to the end of its headers. */
  headersMs: number;
  /** From the start of a request to the end of its body. */
  requestMs: number;
  /** How often Node looks for requests that have exceeded their limit. */
  checkMs: number;
  /** Time between a response and the close of a connection whose client is still sending its body. */
  lingerMs: number;
}

export const REQUEST_TIMEOUTS: RequestTimeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  checkMs: 5000,
  lingerMs: 5000,
};

/** Share of the descriptors that are free at startup; the rest is for files, watches and child processes. */
const SHARE_OF_CONNECTIONS = 0.6;
const MIN_CONNECTIONS = 8;
const MAX_CONNECTIONS = 10_000;
/** Share for connections that have not sent a valid token. */
const SHARE_OF_UNAUTHENTICATED = 0.5;
const MAX_UNAUTHENTICATED = 256;

/**
 * Limits the connections of a server by the descriptors it may open, so that clients cannot use up those that it needs
 * for its own work. Connections without a valid token get at most half of them; when there are too many, the oldest
 * idle one is closed.
 */
export class ConnectionLimits {
  readonly #maxConnections = maxConnections();
  readonly #maxUnauthenticated = Math.min(
    MAX_UNAUTHENTICATED,
    Math.floor(this.#maxConnections * SHARE_OF_UNAUTHENTICATED),
  );
  /** Oldest first. The value is true while a request is being answered. */
  readonly #unauthenticated = new Map<Socket, boolean>();
  readonly #log: FastifyBaseLogger;
  #isFull = false;

  constructor(server: Server, log: FastifyBaseLogger) {
    this.#log = log;
    server.maxConnections = this.#maxConnections;
    server.on('connection', (socket) => this.#accept(socket));
    server.on('drop', () => this.#reportFull());
    server.on('request', ({ socket }, response) => {
      if (!this.#unauthenticated.has(socket)) return;
      this.#unauthenticated.set(socket, true);
      response.once('close', () => {
        if (this.#unauthenticated.has(socket)) this.#unauthenticated.set(socket, false);
      });
    });
  }

  /** Called when the connection has sent a valid token. */
  trust(socket: Socket): void {
    this.#unauthenticated.delete(socket);
  }

  #accept(socket: Socket): void {
    this.#unauthenticated.set(socket, false);
    socket.once('close', () => {
      this.#unauthenticated.delete(socket);
      this.#isFull = false;
    });
    if (this.#unauthenticated.size <= this.#maxUnauthenticated) return;
    this.#reportFull();
    // If none is idle, the oldest is closed anyway: it has had the most time.
    const idle = [...this.#unauthenticated].find(([, answering]) => !answering) ?? [...this.#unauthenticated][0]!;
    this.#unauthenticated.delete(idle[0]);
    idle[0].destroy();
  }

  /** Logs once until there is room again. */
  #reportFull(): void {
    if (this.#isFull) return;
    this.#isFull = true;
    const limits = { max_connections: this.#maxConnections, max_unauthenticated: this.#maxUnauthenticated };
    this.#log.warn(limits, 'too many connections; closing some');
  }
}

function maxConnections(): number {
  const free = descriptorLimit() - fs.readdirSync('/proc/self/fd').length;
  return Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, Math.floor(free * SHARE_OF_CONNECTIONS)));
}

function descriptorLimit(): number {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(fs.readFileSync('/proc/self/limits', 'latin1')) ?? [];
  return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
}
