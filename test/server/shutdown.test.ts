import net from 'node:net';
import { expect, test } from 'vitest';
import { loadTokens } from '../../src/runs/index.ts';
import { createServer } from '../../src/server/index.ts';
import { sandbox } from '../support/tacho.ts';
import { makeRun, rawDraft, statusDraft } from './support/make-run.ts';
import { memoryDirector } from './support/memory-director.ts';
import { dataOf, openStream } from './support/read-stream.ts';
import { serve } from './support/serve.ts';

test('a shutdown closes every stream with a reason and takes no new requests', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'waiting_user');
  await run.append([statusDraft('running'), statusDraft('waiting_user')]);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const base = `/v1/runs/${run.folder.runId}`;
  const streams = [
    await openStream(served, `${base}/events/stream`),
    await openStream(served, `${base}/conversation/stream`),
    await openStream(served, '/v1/stream'),
  ];
  for (const stream of streams) await stream.frame(({ event }) => event === 'stream.opened');
  await streams[0]!.frame(({ id }) => id === '2');
  await served.server.close();
  for (const { ended, frames } of streams) {
    await ended;
    expect(frames.at(-1)).toMatchObject({ event: 'stream.closed' });
    expect(dataOf(frames.at(-1))).toMatchObject({ reason: 'shutdown' });
  }
  expect(dataOf(streams[0]!.frames.at(-1))).toEqual({ reason: 'shutdown', last_seq: 2 });
  await expect(served.ask('/v1/health')).rejects.toThrow(/ECONNREFUSED/);
});

test('readers that do not read and silent connections do not delay the shutdown', async () => {
  const box = sandbox();
  const run = await makeRun(box.home, 'waiting_user');
  for (let n = 0; n < 20; n++) await run.append([rawDraft('x'.repeat(1_000_000))]);
  const served = await serve({ director: memoryDirector(), home: box.home });
  const stream = await openStream(served, `/v1/runs/${run.folder.runId}/events/stream`, { paused: true });
  const silent = net.connect(served.port, '127.0.0.1');
  silent.on('error', () => {}); // The connection is reset, as expected.
  silent.write('GET /v1/health HTTP/1.1\r\nhost: localhost\r\n');
  await new Promise((resolve) => silent.once('connect', resolve));
  await served.server.close();
  stream.response.resume();
  await stream.ended;
});

test('a port that is in use or not available is refused with a remedy', async () => {
  const first = await serve({ director: memoryDirector() });
  const { director, context } = first;
  const tokens = loadTokens(context.home.root);
  const taken = await createServer({ director, context, tokens, port: first.port });
  await expect(taken.listen()).rejects.toMatchObject({
    code: 'PORT_UNAVAILABLE',
    message: expect.stringContaining(String(first.port)),
    fix: expect.stringContaining('--port'),
  });
  await taken.close();
  const elsewhere = await createServer({ director, context, tokens, host: '203.0.113.7' });
  await expect(elsewhere.listen()).rejects.toMatchObject({ code: 'PORT_UNAVAILABLE' });
  await elsewhere.close();
});
