import { expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { until } from '../support/tacho.ts';
import { closed, collect, frame, frameServer, openStream, refuse } from './frame-server.ts';

const output = (from: number, data: string) => ({ stream: 'stdout', from, data, encoding: 'utf8' });
const framed = (id: string, event: string, data: unknown) => `id: ${id}\n${frame(event, data)}`;
const clientOf = ({ url }: { url: string }) =>
  createClient({ url, token: 't', timing: { firstRetryMs: 1, lastRetryMs: 5 } });

test('a terminal is followed from the last delivered frame, over lost connections', async () => {
  const server = await frameServer((_, response, count) => {
    openStream(response);
    if (count === 1) {
      response.write(framed('2.0', 'terminal.output', output(0, 'a\n')));
      // An incomplete frame is not delivered, so it is sent again.
      response.write(framed('4.0', 'terminal.output', output(2, 'b\n')).slice(0, 40), () => response.destroy());
    } else if (count === 2) {
      response.write(framed('4.0', 'terminal.output', output(2, 'b\n')));
      response.end(framed('4.9', 'terminal.gap', { stream: 'stderr', from: 0, to: 9 }) + closed('shutdown'));
    } else {
      response.write(framed('4.9', 'terminal.mood', { mood: 'good' }));
      response.end(framed('6.9', 'terminal.output', output(4, 'c\n')) + closed('terminal'));
    }
  });
  const frames = await collect(clientOf(server).terminals.follow('0123456789abcdef.s-1'));
  expect(frames).toEqual([
    { frame: 'terminal.output', data: output(0, 'a\n') },
    { frame: 'terminal.output', data: output(2, 'b\n') },
    { frame: 'terminal.gap', data: { stream: 'stderr', from: 0, to: 9 } },
    { frame: 'terminal.output', data: output(4, 'c\n') },
  ]);
  expect(server.seen.map(({ path, query }) => [path, query])).toEqual([
    ['/v1/terminals/0123456789abcdef.s-1/stream', {}],
    ['/v1/terminals/0123456789abcdef.s-1/stream', { cursor: '2.0' }],
    ['/v1/terminals/0123456789abcdef.s-1/stream', { cursor: '4.9' }],
  ]);
});

test('retries a daemon that does not answer; ends when the session is gone', async () => {
  const error = { code: 'SERVER_UNREACHABLE', message: 'no daemon serves /srv' };
  const server = await frameServer((_, response, count) => {
    if (count === 2) return refuse(response, 404, 'SESSION_NOT_FOUND');
    openStream(response);
    response.write(framed('2', 'terminal.output', output(0, 'a\n')));
    response.end(frame('stream.closed', { reason: 'error', last_seq: 2, error }));
  });
  const retries: string[] = [];
  const following = clientOf(server).terminals.follow('t', {
    onRetry: ({ error: { code } }) => void retries.push(code),
  });
  await expect(collect(following)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  expect(retries).toEqual(['SERVER_UNREACHABLE']);
});

test('an abort ends the stream without an error', async () => {
  const server = await frameServer((_, response) => {
    openStream(response);
    response.write(framed('2', 'terminal.output', output(0, 'a\n')) + framed('4', 'terminal.output', output(2, 'b\n')));
  });
  const stop = new AbortController();
  const frames: unknown[] = [];
  for await (const frame of clientOf(server).terminals.follow('t', { signal: stop.signal })) {
    frames.push(frame);
    stop.abort();
  }
  expect(frames).toHaveLength(1);
  await until(() => server.open() === 0);
});
