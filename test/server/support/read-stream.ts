import http from 'node:http';
import { onTestFinished } from 'vitest';
import { createSseParser, type SseFrame } from '../../../src/client/sse-parser.ts';
import type { Served } from './serve.ts';

export interface OpenStream {
  response: http.IncomingMessage;
  /** Frames received so far. */
  frames: SseFrame[];
  comments(): number;
  /** Resolves when the server has ended the stream. */
  ended: Promise<void>;
  /** Resolves with the first frame that matches. */
  frame(holds: (frame: SseFrame) => boolean): Promise<SseFrame>;
  /** Disconnects. */
  hangUp(): void;
}

/** Opens a stream like a client and collects its frames; with `paused` nothing is read until `resume`. */
export async function openStream(
  { port, headersFor }: Served,
  path: string,
  { headers = {}, paused = false }: { headers?: Record<string, string>; paused?: boolean } = {},
): Promise<OpenStream> {
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.get({ port, path, headers: { ...headersFor('read'), ...headers }, agent: false }, resolve);
    request.on('error', reject);
  });
  onTestFinished(() => void response.destroy());
  const parser = createSseParser();
  const frames: SseFrame[] = [];
  let comments = 0;
  let look = () => {};
  const ended = new Promise<void>((resolve) => response.once('close', resolve));
  if (response.headers['content-type']?.startsWith('text/event-stream')) {
    response.on('data', (bytes: Buffer) => {
      if (bytes.toString().startsWith(':')) comments++;
      frames.push(...parser.push(bytes));
      look();
    });
    response.on('error', () => {}); // `close` reports the end.
    if (paused) response.pause();
  }
  return {
    response,
    frames,
    comments: () => comments,
    ended,
    frame: (holds) =>
      new Promise((resolve) => {
        let seen = 0;
        look = () => {
          while (seen < frames.length) {
            const frame = frames[seen++]!;
            if (holds(frame)) return resolve(frame);
          }
        };
        look();
      }),
    hangUp: () => void response.destroy(),
  };
}

/** The whole stream of a run that ends. */
export async function readWhole(
  served: Served,
  path: string,
  options: { headers?: Record<string, string> } = {},
): Promise<SseFrame[]> {
  const stream = await openStream(served, path, options);
  await stream.ended;
  return stream.frames;
}

export function seqsOf(frames: readonly SseFrame[], kind = 'run_event'): number[] {
  return frames.filter(({ event }) => event === kind).map(({ id }) => Number(id));
}

export function dataOf(frame: SseFrame | undefined): Record<string, unknown> {
  return JSON.parse(frame!.data) as Record<string, unknown>;
}
