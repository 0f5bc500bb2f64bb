import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RaspEvent } from '../../src/protocol/index.ts';
import { raspEvent } from '../protocol/samples.ts';

export interface SeenRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: http.IncomingHttpHeaders;
  body: string;
}

export interface FrameServer {
  url: string;
  seen: SeenRequest[];
  /** Open connections. */
  open(): number;
  stop(): Promise<void>;
}

type Answer = (request: SeenRequest, response: http.ServerResponse, count: number) => void | Promise<void>;

/** A real server whose answers the test defines; `count` numbers the requests from 1. */
export async function frameServer(answer: Answer, { port = 0 } = {}): Promise<FrameServer> {
  const seen: SeenRequest[] = [];
  let open = 0;
  const server = http.createServer(async (message, response) => {
    open++;
    response.on('close', () => open--);
    const url = new URL(message.url!, 'http://server');
    let body = '';
    for await (const chunk of message) body += chunk;
    const request = {
      method: message.method!,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: message.headers,
      body,
    };
    seen.push(request);
    await answer(request, response, seen.length);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(stop);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, open: () => open, stop };
}

export function answerJson(response: http.ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export function refuse(response: http.ServerResponse, status: number, code: string, more = {}): void {
  answerJson(response, { error: { code, message: `it is ${code}`, ...more } }, status);
}

export function openStream(response: http.ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
}

export function frame(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

export const opened = (from_seq: number, head_seq: number, resume: 'ok' | 'reset' = 'ok') =>
  frame('stream.opened', { resume, from_seq, head_seq });
export const closed = (reason: string) => frame('stream.closed', { reason, last_seq: 0 });

export function event(seq: number, text = 'line'): RaspEvent {
  return raspEvent('raw.stdout', { seq, data: { text: `${text} ${seq} – ✓🚀\n`, lines: 1 } });
}

export const eventFrame = (seq: number) => frame('run_event', event(seq), seq);

export const eventFrames = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => eventFrame(from + index)).join('');

/** All items of an iterable. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

export const numbers = (to: number) => Array.from({ length: to }, (_, index) => index + 1);
