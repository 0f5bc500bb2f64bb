import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSecretCheck } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { EncodedBytes } from '../../terminal/encode-bytes.ts';
import type { CallRuntime } from '../call-runtime.ts';
import { MAX_MESSAGE_BYTES } from '../rpc/connection.ts';
import {
  answerText,
  type CallRequest,
  NO_ADDRESSEE,
  notificationText,
  readRequest,
  refusalText,
} from '../rpc/message.ts';
import { Outbox } from '../rpc/outbox.ts';
import { followRead } from './follow-read.ts';
import { createHostCheck } from './host-check.ts';

export interface HttpOptions {
  host: string;
  port: number;
  token: string | undefined;
  call: CallRuntime;
}

export interface HttpServer {
  url: string;
  close(): Promise<void>;
}

const MIN_TOKEN_LENGTH = 16;
const MAX_CONNECTIONS = 512;
const LINES = 'application/x-ndjson';
const STATUS: Partial<Record<TachoError['code'], number>> = {
  AUTH_FAILED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  BODY_TOO_LARGE: 413,
};

/** `POST /rpc`, one message per request. Requires a token, because a caller can run programs as this user. */
export async function listenHttp({ host, port, token, call }: HttpOptions): Promise<HttpServer> {
  if (token === undefined || token.length < MIN_TOKEN_LENGTH) {
    throw new TachoError('AUTH_FAILED', `HTTP needs a token of ${MIN_TOKEN_LENGTH} characters or more`, {
      fix: 'Set TACHO_RUNTIME_TOKEN, for example to the output of: openssl rand -hex 32',
    });
  }
  const guard = createGuard(host, token);
  const server = http.createServer({ requestTimeout: 60_000 }, (request, response) => {
    void answer(request, response, { guard, call }).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new TachoError('PORT_UNAVAILABLE', `cannot listen on ${host}:${port}: ${cause.message}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Guard = (request: http.IncomingMessage) => void;

async function answer(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { guard, call }: { guard: Guard; call: CallRuntime },
): Promise<void> {
  let message: CallRequest;
  try {
    guard(request);
    message = readRequest(await readBody(request));
  } catch (error) {
    const status = (error instanceof TachoError && STATUS[error.code]) || 400;
    // The rest of a rejected request is not read.
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    return void response.end(refusalText(NO_ADDRESSEE, error));
  }
  const follows = message.method === 'session.read' && (request.headers.accept ?? '').includes(LINES);
  const streams = follows || message.method === 'exec.stream';
  response.writeHead(200, { 'content-type': streams ? LINES : 'application/json', 'cache-control': 'no-store' });
  const outbox = new Outbox(response);
  const notify = (method: string) => (params: EncodedBytes) => outbox.send(notificationText(method, params));
  try {
    const result = follows
      ? await followRead(call, message.params, notify('session.output'))
      : await call(message.method, message.params, notify('exec.output'));
    await outbox.send(answerText(message, result));
  } catch (error) {
    await outbox.send(refusalText(message, error)).catch(() => {});
  }
  await outbox.end();
}

function createGuard(host: string, token: string): Guard {
  const isToken = createSecretCheck(token);
  const isOurName = createHostCheck(host);
  return ({ headers, method, url }) => {
    if (!isOurName(headers.host)) {
      throw new TachoError('FORBIDDEN', 'Host header not allowed');
    }
    const shown = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (shown === undefined || !isToken(shown)) {
      throw new TachoError('AUTH_FAILED', shown === undefined ? 'the token is missing' : 'the token is wrong', {
        fix: 'Send the header Authorization: Bearer <token>.',
      });
    }
    if (method !== 'POST' || url !== '/rpc') throw new TachoError('NOT_FOUND', 'there is only POST /rpc');
  };
}

async function readBody(request: http.IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    pieces.push(piece as Buffer);
    length += (piece as Buffer).length;
    if (length > MAX_MESSAGE_BYTES) {
      throw new TachoError('BODY_TOO_LARGE', `a message may have ${MAX_MESSAGE_BYTES} bytes`);
    }
  }
  return Buffer.concat(pieces);
}
