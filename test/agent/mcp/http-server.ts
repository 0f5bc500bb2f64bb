import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { toolNamed } from './servers.ts';

export interface HttpRequest {
  method: string;
  session: string | undefined;
  authorization: string | undefined;
  /** Of the message, if it has one. */
  rpc: string | undefined;
}

type Call = { do?: string } & Record<string, unknown>;

/** A small MCP server over HTTP in this process. What it does with a call, the call says. */
export async function smallHttpServer({
  token,
  onGet,
}: {
  token?: string;
  onGet?: (response: http.ServerResponse) => void;
} = {}) {
  const requests: HttpRequest[] = [];
  const sessions = new Set<string>();
  const server = http.createServer(async (request, response) => {
    const { method = '', headers } = request;
    const body = method === 'POST' ? JSON.parse(await textOf(request)) : {};
    const session = headers['mcp-session-id'] as string | undefined;
    requests.push({ method, session, authorization: headers.authorization, rpc: body.method });
    const json = (result: unknown, more = {}) => {
      response.writeHead(200, { 'content-type': 'application/json', ...more });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }));
    };
    if (token !== undefined && headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end(`not ${headers.authorization}`);
    } else if (method === 'GET') {
      if (onGet) onGet(response);
      else response.writeHead(405).end();
    } else if (body.method === 'initialize') {
      const id = `session-${sessions.size + 1}`;
      sessions.add(id);
      const { protocolVersion } = body.params;
      const about = { capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } };
      json({ protocolVersion, ...about }, { 'mcp-session-id': id });
    } else if (session !== undefined && !sessions.has(session)) response.writeHead(404).end('no such session');
    else if (method === 'DELETE') response.writeHead(sessions.delete(session ?? '') ? 200 : 404).end();
    else if (body.method === 'tools/list') json({ tools: [toolNamed('act')] });
    else if (body.method === 'tools/call')
      carryOut(body.params.arguments as Call, { response, json, id: body.id, sessions, headers });
    else response.writeHead(202).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, requests, sessions, port, server };
}

interface Carried {
  response: http.ServerResponse;
  json(result: unknown): void;
  id: unknown;
  sessions: Set<string>;
  headers: http.IncomingHttpHeaders;
}

function carryOut(given: Call, { response, json, id, sessions, headers }: Carried): void {
  const result = { content: [{ type: 'text', text: `act: ${JSON.stringify(given)}` }] };
  switch (given.do) {
    case 'hang':
      return;
    case 'forget':
      sessions.clear();
      response.writeHead(404).end('no such session');
      return;
    case 'hang up':
      response.socket!.destroy();
      return;
    case 'echo':
      response.writeHead(500).end(`what is ${headers.authorization}?`);
      return;
    case 'body':
      response.writeHead(200, { 'content-type': 'application/json' });
      pour(response, 'x');
      return;
    case 'event':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      pour(response, 'x');
      return;
    case 'notifications':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(
        response,
        'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n',
      );
      return;
    case 'pings':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      pour(response, 'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n');
      return;
    case 'stream':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
      return;
    default:
      json(result);
  }
}

/** A gigabyte, as fast as it is read. */
function pour(response: http.ServerResponse, piece: string): void {
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  let left = 2 ** 30;
  const more = () => {
    while (left > 0 && !response.destroyed) {
      left -= block.length;
      if (!response.write(block)) return;
    }
    response.end();
  };
  response.on('drain', more);
  more();
}

async function textOf(request: http.IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}
