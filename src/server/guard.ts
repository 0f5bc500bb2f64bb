import { isIP, type Socket } from 'node:net';
import os from 'node:os';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { TachoError, type TokenScope, tokenScopeSchema } from '../protocol/index.ts';
import type { Tokens } from '../runs/index.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a token must allow; a route that does not say is for administrators. */
    scope?: TokenScope | 'public';
    /** Answers for as long as there is something to tell, so its duration says nothing. */
    endless?: boolean;
  }
}

export interface GuardOptions {
  tokens: Tokens;
  /** The address that is listened on. */
  host: string;
  /** Further names by which the server may be called, as behind a proxy. */
  allowedHosts: readonly string[];
  /** Where the page comes from behind a proxy. */
  publicUrl: URL | null;
  /** Origins of other pages that may talk to the server. */
  allowedOrigins: readonly string[];
  /** The connection has shown a valid token. */
  onAuthenticated?: (socket: Socket) => void;
}

/** Asked before anything of a request is read: is it meant for us, does our own page send it, may its sender do it. */
export function createGuard(options: GuardOptions) {
  const { tokens, host, allowedHosts, publicUrl, allowedOrigins, onAuthenticated } = options;
  const isOurName = createNameCheck(host, publicUrl ? [...allowedHosts, publicUrl.hostname] : allowedHosts);
  // A proxy may put another name into the Host header than the one the browser uses.
  const isOurOrigin = (origin: string, called: string) => origin === publicUrl?.origin || isSameOrigin(origin, called);

  return async function guard(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { host: called, origin, authorization } = request.headers;
    // A page of somebody else can make its own name point here (DNS rebinding); it cannot make the browser call it ours.
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
    checkScope(needed, authorization, tokens);
    onAuthenticated?.(request.raw.socket);
  };
}

function checkScope(needed: TokenScope, authorization: string | undefined, tokens: Tokens): void {
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const scope = token === undefined ? null : tokens.scopeOf(token);
  if (scope === null) {
    throw new TachoError('UNAUTHORIZED', token === undefined ? 'the token is missing' : 'the token is wrong', {
      fix: 'Send the header Authorization: Bearer <token>; the token is in the file token of the data folder.',
    });
  }
  const scopes = tokenScopeSchema.options;
  if (scopes.indexOf(scope) >= scopes.indexOf(needed)) return;
  throw new TachoError('FORBIDDEN', `the token may ${scope}; this needs ${needed}`, { facts: { scope, needed } });
}

/** Names without their port: who can choose the name cannot win by the port. */
function createNameCheck(host: string, allowedHosts: readonly string[]): (called: string | undefined) => boolean {
  const names = new Set(['127.0.0.1', 'localhost', '::1', bare(host), ...allowedHosts.map(bare)]);
  const everywhere = bare(host) === '0.0.0.0' || bare(host) === '::';
  if (everywhere) names.add(os.hostname().toLowerCase());
  return (called) => {
    if (called === undefined) return false;
    const name = hostName(called);
    // An address in the Host header is the one that was connected to; there is no name that could have been bent.
    return name !== null && (names.has(name) || (everywhere && isIP(name) !== 0));
  };
}

function hostName(header: string): string | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^\s:/@[\]]+))(?::\d{1,5})?$/i.exec(header);
  return (match?.[1] ?? match?.[2])?.toLowerCase() ?? null;
}

function bare(host: string): string {
  return host.replace(/^\[|\]$/g, '').toLowerCase();
}

/** Behind a proxy the page comes by https, and the Host header is still that of the page. */
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
