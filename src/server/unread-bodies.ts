import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { RouteApp } from './service.ts';

/** A client reads the response after it has sent its body, and loses it if the connection is closed before. */
const MAX_BYTES_AFTER_ANSWER = 16 * 1024 * 1024;

/** The last response of each connection. */
const answers = new WeakMap<Socket, ServerResponse>();

/**
 * Closes connections whose request is not worth reading on: a body that arrives after its response, a request that is
 * not HTTP, or one that takes too long. Otherwise a client that sends a byte now and then could keep them open.
 */
export function closeUnreadBodies(app: RouteApp, lingerMs: number): void {
  app.server.on('request', ({ socket }, response) => answers.set(socket, response));
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.raw.complete) return payload;
    // An error response can be ready before a body that came with the headers is parsed.
    await setImmediate();
    if (request.raw.complete) return payload;
    reply.header('connection', 'close');
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(answerThenRest(payload, request.raw, lingerMs), { objectMode: false });
  });
}

/** Node closes the connection after the response. By then the client has received it, and has sent its body. */
async function* answerThenRest(answer: string | Buffer, request: IncomingMessage, lingerMs: number) {
  yield answer;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerMs);
    let left = MAX_BYTES_AFTER_ANSWER;
    request.on('data', (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) resolve();
    });
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    for (const event of ['end', 'close', 'error']) request.once(event, end);
  });
}

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers a malformed or late request, which never reaches a route. */
export function createBrokenRequestHandler(lingerMs: number): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    // A response that has begun cannot be replaced.
    if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
      socket.destroy();
      return;
    }
    // Node checks a late request only once; a client that keeps sending would keep the connection.
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
    if (isLast(socket)) {
      socket.end();
      return;
    }
    const status = STATUS[error.code ?? ''] ?? '400 Bad Request';
    const body = JSON.stringify({ error: { code: 'INVALID_REQUEST', message: `not a request: ${error.code}` } });
    const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`;
    socket.end(head + body);
  };
}

function isAnswering(socket: Socket): boolean {
  const answer = answers.get(socket);
  return answer?.headersSent === true && !answer.writableFinished;
}

/** Whether the last response said that the connection closes: whatever still arrives gets no other one. */
function isLast(socket: Socket): boolean {
  const answer = answers.get(socket);
  return answer?.headersSent === true && !answer.shouldKeepAlive;
}
