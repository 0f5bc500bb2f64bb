import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface WireReply {
  status?: number;
  headers?: Record<string, string>;
  /** Written one after the other, each on its own. An object is a frame with its JSON; a buffer is written as it is. */
  frames?: readonly (string | Buffer | object)[];
  body?: string | object;
  /** The last frame is followed by silence. */
  staysOpen?: boolean;
}

export interface WireServer {
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: { [key: string]: unknown } & { text: string } }[];
  /** Whether the connection of each request has been closed. Node may have opened another one in its place. */
  closed(): boolean[];
  /** All connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** A server that answers with recorded bytes: the n-th request gets the n-th reply, and later ones the last. */
export async function startWireServer(replies: readonly WireReply[]): Promise<WireServer> {
  const requests: WireServer['requests'] = [];
  const sockets: Socket[] = [];
  let connections = 0;
  const server: Server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    sockets.push(request.socket);
    requests.push({ path: request.url ?? '', headers: request.headers, body: { ...JSON.parse(text), text } });
    const { status = 200, headers = {}, frames, body, staysOpen } = replies[requests.length - 1] ?? replies.at(-1)!;
    const type = frames ? 'text/event-stream' : typeof body === 'string' ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers });
    if (!frames) response.end(typeof body === 'string' ? body : JSON.stringify(body));
    for (const frame of frames ?? []) {
      const written = typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : encodeFrame(frame);
      await new Promise<void>((resolve) => response.write(written, () => resolve()));
    }
    if (frames && !staysOpen) response.end();
  });
  server.on('connection', () => {
    connections++;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    closed: () => sockets.map(({ destroyed }) => destroyed),
    get connections() {
      return connections;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function encodeFrame(frame: { type?: string }): string {
  return `${frame.type ? `event: ${frame.type}\n` : ''}data: ${JSON.stringify(frame)}\n\n`;
}
