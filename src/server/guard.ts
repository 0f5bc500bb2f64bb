import { isIP, type Socket } from 'node:net';
import os from 'node:os';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TachoError, type TokenScope, tokenScopeSchema } from '../protocol/index.ts';
import type { Tokens } from '../runs/index.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Scope that a token needs; without it the route requires `admin`. */
    scope?: TokenScope | 'public';
    /** The response is a stream without an end, so its duration is not measured. */
    endless?: boolean;
  }
}

export interface GuardOptions {
  tokens: Tokens;
  /** Address the server listens on. */
  host: string;
  /** Further host names of the server, for example behind a proxy. */
  allowedHosts: readonly string[];
  /** Address of the page behind a proxy. */
  publicUrl: URL | null;
  /** Origins of other pages that may send requests. */
  allowedOrigins: readonly string[];
  /** Called when the connection has sent a valid token. */
  onAuthenticated?: (socket: Socket) => void;
}

/** Checks the host, the origin and the token before anything else of a request is read. */
export function createGuard(options: GuardOptions) {
  const { tokens, host, allowedHosts, publicUrl, allowedOrigins, onAuthenticated } = options;
  const isOurName = createNameCheck(host, publicUrl ? [...allowedHosts, publicUrl.hostname] : allowedHosts);
  // A proxy may set a Host header that differs from the name the browser uses.
  const isOurOrigin = (origin: string, called: string) => origin === publicUrl?.origin || isSameOrigin(origin, called);

  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { host: called, origin, authorization } = request.headers;
    // DNS rebinding: a foreign page can let its name resolve to our address, but the Host header still holds its name.
    if (!isOurName(called)) {
      throw new TachoError('FORBIDDEN', 'Host header not allowed', {
        fix: 'Use the address that tacho start prints, or add the name to service.allowed_hosts.',
      });
    }
    if (origin !== undefined && !isOurOrigin(origin, called!)) {
      if (!allowedOrigins.includes(origin)) {
        throw new TachoError('FORBIDDEN', 'requests from this origin are not allowed', {
          fix: 'Behind a reverse proxy, set service.public_url to the address that browsers use.',
        });
      }
      allowOrigin(origin, reply);
      if (request.method === 'OPTIONS') return reply.code(204).send();
    }
    const needed = request.is404 ? 'public' : (request.routeOptions.config.scope ?? 'admin');
    if (needed === 'public') return;
    scopes.set(request, scopeFor(authorization, tokens));
    requireScope(request, needed);
    onAuthenticated?.(request.raw.socket);
  };
}

/** Of the token that a request came with. */
const scopes = new WeakMap<FastifyRequest, TokenScope>();

/** For requests that need more than their route, depending on what they ask for. Throws FORBIDDEN. */
export function requireScope(request: FastifyRequest, needed: TokenScope): void {
  const all = tokenScopeSchema.options;
  const scope = scopes.get(request)!;
  if (all.indexOf(scope) >= all.indexOf(needed)) return;
  throw new TachoError('FORBIDDEN', `the token may ${scope}; this needs ${needed}`, { facts: { scope, needed } });
}

function scopeFor(authorization: string | undefined, tokens: Tokens): TokenScope {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const scope = token === undefined ? null : tokens.scopeOf(token);
  if (scope === null) {
    throw new TachoError('UNAUTHORIZED', token === undefined ? 'the token is missing' : 'the token is wrong', {
      fix: 'Send the header Authorization: Bearer <token>; the token is in the file token of the data folder.',
    });
  }
  return scope;
}

/** Compares names without their port: an attacker who controls the name gains nothing by the port. */
function createNameCheck(host: string, allowedHosts: readonly string[]): (called: string | undefined) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', withoutBrackets(host), ...allowedHosts.map(withoutBrackets)]);
  const everywhere = withoutBrackets(host) === '0.0.0.0' || withoutBrackets(host) === '::';
  if (everywhere) names.add(os.hostname().toLowerCase());
  return (called) => {
    if (called === undefined) return false;
    const name = hostName(called);
    // A literal address in the Host header is the one that was connected to, so no name was resolved.
    return name !== null && (names.has(name) || (everywhere && isIP(name) !== 0));
  };
}

function hostName(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

/** Behind a proxy the page is served over https, while the Host header stays the same. */
function isSameOrigin(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`;
}

function allowOrigin(origin: string, reply: FastifyReply): void {
  reply.headers({
    'access-control-allow-origin': origin,
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id, range, x-request-id',
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-expose-headers': 'content-range, retry-after, x-request-id',
    vary: 'origin',
  });
}
