import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBackoff } from '../../src/client/backoff.ts';
import { createClient } from '../../src/client/index.ts';
import { type StreamOpened, TachoError } from '../../src/protocol/index.ts';
import { fcmpMessage } from '../protocol/samples.ts';
import { proofSize } from '../support/proof-size.ts';
import { until } from '../support/tacho.ts';
import {
  closed,
  collect,
  event,
  eventFrame,
  eventFrames,
  frame,
  frameServer,
  numbers,
  opened,
  openStream,
  refuse,
} from './frame-server.ts';

const timing = { firstRetryMs: 2, lastRetryMs: 20 };
const clientOf = (server: { url: string }, more = {}) =>
  createClient({ url: server.url, token: 'secret', timing: { ...timing, ...more } });
const seqs = (events: readonly { seq: number }[]) => events.map(({ seq }) => seq);

describe('a stream of events', () => {
  test('returns the history and live events, and ends with the run', async () => {
    const server = await frameServer((_, response) => {
      openStream(response);
      response.write(opened(1, 2) + eventFrames(1, 2));
      setTimeout(() => response.end(eventFrame(3) + closed('terminal')), 20);
    });
    const heads: StreamOpened[] = [];
    const onOpened = (opened: StreamOpened) => void heads.push(opened);
    const events = await collect(clientOf(server).followEvents('3f2a9c1b', { onOpened }));
    expect(events).toEqual(numbers(3).map((seq) => event(seq)));
    expect(heads).toEqual([{ resume: 'ok', from_seq: 1, head_seq: 2 }]);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      path: '/v1/runs/3f2a9c1b/events/stream',
      query: { cursor: '0', deltas: '1' },
      headers: { authorization: 'Bearer secret', accept: 'text/event-stream' },
    });
  });

  test('starts after the cursor', async () => {
    const server = await frameServer(({ query }, response) => {
      openStream(response);
      response.end(opened(Number(query.cursor) + 1, 9) + eventFrames(Number(query.cursor) + 1, 9) + closed('terminal'));
    });
    expect(seqs(await collect(clientOf(server).followEvents('r', { cursor: 7 })))).toEqual([8, 9]);
  });

  test('resumes where the connection was lost, within a frame or before the first', async () => {
    const cuts = [0, 5, 200, 900];
    const server = await frameServer(({ query }, response, count) => {
      openStream(response);
      const from = Number(query.cursor) + 1;
      const bytes = Buffer.from(opened(from, 6) + eventFrames(from, 6) + closed('terminal'));
      const cut = cuts[count - 1];
      if (cut === undefined) response.end(bytes);
      else response.write(bytes.subarray(0, cut), () => response.destroy());
    });
    const retries: string[] = [];
    const onRetry = ({ error }: { error: TachoError }) => void retries.push(error.code);
    expect(seqs(await collect(clientOf(server).followEvents('r', { onRetry })))).toEqual(numbers(6));
    expect(retries).toEqual(cuts.map(() => 'SERVER_UNREACHABLE'));
  });

  test('returns repeated events once', async () => {
    const server = await frameServer((_, response, count) => {
      openStream(response);
      response.write(opened(1, 4));
      if (count === 1) response.end(eventFrames(1, 3) + eventFrame(2));
      else response.end(eventFrames(1, 4) + eventFrame(4) + closed('terminal'));
    });
    expect(seqs(await collect(clientOf(server).followEvents('r')))).toEqual(numbers(4));
  });

  test('throws when an event is missing', async () => {
    const server = await frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 4) + eventFrames(1, 2) + eventFrame(4) + closed('terminal'));
    });
    const got: number[] = [];
    const following = (async () => {
      for await (const { seq } of clientOf(server).followEvents('r')) got.push(seq);
    })();
    await expect(following).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED', facts: { expected_seq: 3, seq: 4 } });
    expect(got).toEqual([1, 2]);
    expect(server.seen).toHaveLength(1);
  });

  test('without deltas accepts gaps in its numbers', async () => {
    const server = await frameServer((_, response, count) => {
      openStream(response);
      if (count === 1) response.end(opened(1, 9) + eventFrame(2) + eventFrame(5));
      else response.end(opened(6, 9) + eventFrame(5) + eventFrame(9) + closed('terminal'));
    });
    expect(seqs(await collect(clientOf(server).followEvents('r', { deltas: false })))).toEqual([2, 5, 9]);
    expect(server.seen.map(({ query }) => query)).toEqual([
      { cursor: '0', deltas: '0' },
      { cursor: '5', deltas: '0' },
    ]);
  });

  test('resumes after the server was restarted', async () => {
    let restarted: Promise<unknown> | null = null;
    const server = await frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 2) + eventFrames(1, 2) + closed('shutdown'));
      const port = Number(new URL(server.url).port);
      restarted = server.stop().then(() =>
        frameServer(
          ({ query }, next) => {
            openStream(next);
            next.end(opened(3, 4) + eventFrames(Number(query.cursor) + 1, 4) + closed('terminal'));
          },
          { port },
        ),
      );
    });
    expect(seqs(await collect(clientOf(server).followEvents('r')))).toEqual(numbers(4));
    await restarted;
  });

  test('is read correctly when its bytes arrive one by one', async () => {
    const server = await frameServer(async (_, response) => {
      openStream(response);
      response.socket!.setNoDelay(true);
      for (const byte of Buffer.from(`\ufeff: hello\r\n\r\n${opened(1, 2)}${eventFrames(1, 2)}${closed('terminal')}`)) {
        response.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    });
    expect(await collect(clientOf(server).followEvents('r'))).toEqual([event(1), event(2)]);
  });

  test('is complete with any lost connections, repetitions and chunks', async () => {
    const fault = fc.record({
      /** Share of the data after which the connection breaks. */
      cut: fc.double({ min: 0, max: 1, noNaN: true }),
      /** Number of events before the cursor that are repeated. */
      again: fc.integer({ min: 0, max: 5 }),
      piece: fc.integer({ min: 1, max: 4000 }),
      how: fc.constantFrom('destroy', 'end', 'shutdown', '503'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(fault, { maxLength: 8 }), fc.integer({ min: 0, max: 40 }), async (faults, head) => {
        const server = await frameServer(async ({ query }, response, count) => {
          const { cut, again, piece, how } = faults[count - 1] ?? { cut: 1, again: 0, piece: 65_536, how: 'terminal' };
          // The first connection must succeed.
          if (how === '503' && count > 1) return refuse(response, 503, 'INTERNAL');
          openStream(response);
          const from = Math.max(1, Number(query.cursor) + 1 - again);
          const bytes = Buffer.from(opened(from, head) + eventFrames(from, head));
          const sent = bytes.subarray(0, Math.ceil(bytes.length * cut));
          for (let at = 0; at < sent.length; at += piece) response.write(sent.subarray(at, at + piece));
          if (how === 'destroy' || how === '503') return void response.write('', () => response.destroy());
          // A frame can only follow a complete one.
          if (how === 'end' || sent.length < bytes.length) return void response.end();
          response.end(closed(how));
        });
        expect(seqs(await collect(clientOf(server).followEvents('r')))).toEqual(numbers(head));
        await server.stop();
      }),
      { numRuns: proofSize({ small: 10, full: 40 }) },
    );
  });

  test('of messages is validated with their own schema', async () => {
    const messages = [1, 2].map((seq) => fcmpMessage('user.message', { seq }));
    const server = await frameServer((_, response) => {
      openStream(response);
      response.end(
        opened(1, 2) + messages.map((message) => frame('chat_event', message)).join('') + closed('terminal'),
      );
    });
    expect(await collect(clientOf(server).followConversation('r'))).toEqual(messages);
    expect(server.seen[0]!.path).toBe('/v1/runs/r/conversation/stream');
  });
});

describe('a stream that the server closes', () => {
  const closing = (data: object, upTo = 1) =>
    frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 2) + eventFrames(1, upTo) + frame('stream.closed', data));
    });

  test('with a last_seq beyond the received events is an error', async () => {
    const server = await closing({ reason: 'terminal', last_seq: 2 });
    const following = collect(clientOf(server).followEvents('r'));
    await expect(following).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED', facts: { expected_seq: 2 } });
    const whole = await closing({ reason: 'terminal', last_seq: 2 }, 2);
    expect(seqs(await collect(clientOf(whole).followEvents('r')))).toEqual([1, 2]);
  });

  test('because the run was removed ends', async () => {
    const server = await closing({ reason: 'removed', last_seq: 1 });
    await expect(collect(clientOf(server).followEvents('r'))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    expect(server.seen).toHaveLength(1);
  });

  test('with an error throws that error', async () => {
    const error = { code: 'RUN_RECORD_CORRUPT', message: 'no record' };
    const server = await closing({ reason: 'error', last_seq: 1, error });
    await expect(collect(clientOf(server).followEvents('r'))).rejects.toMatchObject(error);
    expect(server.seen).toHaveLength(1);
  });
});

describe('a cursor beyond the run', () => {
  const reset = () =>
    frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 2, 'reset') + eventFrames(1, 2) + closed('terminal'));
    });

  test('is reported to the caller before the first event, and the stream starts at 1', async () => {
    const received: unknown[] = [];
    const onReset = (opened: StreamOpened) => void received.push(opened);
    for await (const { seq } of clientOf(await reset()).followEvents('r', { cursor: 99, onReset })) received.push(seq);
    expect(received).toEqual([{ resume: 'reset', from_seq: 1, head_seq: 2 }, 1, 2]);
  });

  test('is an error for a caller without a handler', async () => {
    const following = collect(clientOf(await reset()).followEvents('r', { cursor: 99 }));
    await expect(following).rejects.toMatchObject({ code: 'JOURNAL_DAMAGED', facts: { cursor: 99 } });
  });
});

describe('a server that stops sending', () => {
  test('is reconnected after a timeout', async () => {
    const server = await frameServer(({ query }, response, count) => {
      openStream(response);
      if (count === 1) response.write(opened(1, 2) + eventFrame(1));
      else {
        // A busy machine may time out a connection before reading anything.
        const from = Number(query.cursor ?? 0) + 1;
        response.end(opened(from, 2) + eventFrames(from, 2) + closed('terminal'));
      }
    });
    const messages: string[] = [];
    const events = clientOf(server, { silenceMs: 100 }).followEvents('r', {
      onRetry: ({ error }) => void messages.push(error.message),
    });
    expect(seqs(await collect(events))).toEqual([1, 2]);
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) expect(message).toContain('no byte for 100 ms');
    await until(() => server.open() === 0);
  });

  test('does not time out while it sends heartbeats', async () => {
    const server = await frameServer(async (_, response) => {
      openStream(response);
      response.write(opened(1, 1));
      for (let beat = 0; beat < 15; beat++) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        response.write(': heartbeat\n\n');
      }
      response.end(eventFrame(1) + closed('terminal'));
    });
    expect(seqs(await collect(clientOf(server, { silenceMs: 1000 }).followEvents('r')))).toEqual([1]);
    expect(server.seen).toHaveLength(1);
  });

  test('does not time out while the reader is slow', async () => {
    const server = await frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 3) + eventFrames(1, 3) + closed('terminal'));
    });
    const got: number[] = [];
    for await (const { seq } of clientOf(server, { silenceMs: 1000 }).followEvents('r')) {
      got.push(seq);
      if (seq === 1) await new Promise((resolve) => setTimeout(resolve, 1500));
    }
    expect(got).toEqual([1, 2, 3]);
    expect(server.seen).toHaveLength(1);
  });
});

test('does not time out because this process was suspended', async () => {
  let goOn = () => {};
  const server = await frameServer((_, response) => {
    openStream(response);
    response.write(opened(1, 2) + eventFrame(1));
    goOn = () => void response.end(eventFrame(2) + closed('terminal'));
  });
  const got: number[] = [];
  for await (const { seq } of clientOf(server, { silenceMs: 500 }).followEvents('r')) {
    got.push(seq);
    if (seq > 1) continue;
    // The next event arrives while this process is blocked for longer than the timeout.
    setTimeout(() => {
      goOn();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    }, 20);
  }
  expect(got).toEqual([1, 2]);
  expect(server.seen).toHaveLength(1);
});

describe('a permanent error', () => {
  test('is thrown at once: a wrong token, a missing run, an answer that is not a stream', async () => {
    const server = await frameServer(({ path }, response) => {
      if (path.includes('token')) refuse(response, 401, 'UNAUTHORIZED');
      else if (path.includes('gone')) refuse(response, 404, 'RUN_NOT_FOUND');
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
    });
    const client = clientOf(server);
    await expect(collect(client.followEvents('token'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(collect(client.followEvents('gone'))).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' });
    await expect(collect(client.followEvents('page'))).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(server.seen).toHaveLength(3);
  });

  test('is thrown after a reconnection as well', async () => {
    const server = await frameServer((_, response, count) => {
      if (count > 1) return refuse(response, 401, 'UNAUTHORIZED');
      openStream(response);
      response.end(opened(1, 9) + eventFrame(1));
    });
    await expect(collect(clientOf(server).followEvents('r'))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('is thrown when an event is invalid', async () => {
    const server = await frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 1) + frame('run_event', { ...event(1), chain: 'x' }, 1));
    });
    const error = await collect(clientOf(server).followEvents('r')).catch((thrown: TachoError) => thrown);
    expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('chain') });
  });

  test('is a server that was never reachable', async () => {
    const server = await frameServer(() => {});
    await server.stop();
    const following = collect(clientOf(server).followEvents('r'));
    await expect(following).rejects.toBeInstanceOf(TachoError);
    await expect(collect(clientOf(server).followEvents('r'))).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });
});

describe('a reader that stops', () => {
  const endless = () =>
    frameServer((_, response) => {
      openStream(response);
      response.write(opened(1, 3) + eventFrames(1, 3));
    });

  test('by leaving the loop closes the connection', async () => {
    const server = await endless();
    for await (const { seq } of clientOf(server).followEvents('r')) if (seq === 2) break;
    await until(() => server.open() === 0);
  });

  test('by an abort ends the stream without an error, whatever comes next', async () => {
    const server = await endless();
    const stop = new AbortController();
    const got: number[] = [];
    for await (const { seq } of clientOf(server).followEvents('r', { signal: stop.signal })) {
      got.push(seq);
      if (seq === 2) stop.abort();
    }
    expect(got).toEqual([1, 2]);
    await until(() => server.open() === 0);
  });

  test('by an abort is not delayed by a silent stream or a pending retry', async () => {
    const server = await endless();
    const stop = new AbortController();
    const all = collect(clientOf(server).followEvents('r', { signal: stop.signal }));
    await until(() => server.open() === 1);
    setTimeout(() => stop.abort(), 20);
    expect((await all).length).toBeLessThanOrEqual(3);

    const broken = await frameServer((_, response) => {
      openStream(response);
      response.end(opened(1, 0));
    });
    const later = new AbortController();
    const patient = clientOf(broken, { firstRetryMs: 600_000, lastRetryMs: 600_000 });
    const onRetry = () => void setTimeout(() => later.abort(), 5);
    expect(await collect(patient.followEvents('r', { signal: later.signal, onRetry }))).toEqual([]);
    expect(await collect(patient.followEvents('r', { signal: AbortSignal.abort() }))).toEqual([]);
    expect(broken.seen).toHaveLength(1);
  });
});

test('retries use growing random delays, which are reset after a success', () => {
  const backoff = createBackoff({ firstMs: 250, lastMs: 5000 });
  const ceilings = [250, 500, 1000, 2000, 4000, 5000, 5000];
  for (const ceiling of ceilings) {
    const delay = backoff.next();
    expect(delay).toBeGreaterThanOrEqual(ceiling / 2);
    expect(delay).toBeLessThanOrEqual(ceiling);
  }
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(250);
});

test('the server can request a longer delay', async () => {
  const server = await frameServer((_, response, count) => {
    if (count === 2) {
      response.setHeader('retry-after', '0.05');
      return refuse(response, 429, 'QUEUE_FULL');
    }
    openStream(response);
    response.end(count === 1 ? opened(1, 1) : opened(1, 1) + eventFrame(1) + closed('terminal'));
  });
  const delays: number[] = [];
  await collect(clientOf(server).followEvents('r', { onRetry: ({ delayMs }) => void delays.push(delayMs) }));
  expect(delays[1]).toBe(50);
});
