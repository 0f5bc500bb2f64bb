import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { TachoError } from '../../src/protocol/index.ts';
import { answerJson, frameServer, refuse } from './frame-server.ts';

type Answer = Parameters<typeof frameServer>[0];

async function errorOf(
  answer: Answer,
  call = (client: ReturnType<typeof createClient>) => client.getRun('r') as Promise<unknown>,
) {
  const { url } = await frameServer(answer);
  const error = await call(createClient({ url, token: 'secret' })).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(TachoError);
  // Shown to users and written to logs.
  expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  return error as TachoError;
}

describe('a refusal of the server', () => {
  test('is thrown with its own code, message, facts and fix', async () => {
    const more = { fix: 'Look at the run.', details: { status: 'succeeded', open: null } };
    const error = await errorOf(
      (_, response) => refuse(response, 409, 'REPLY_STALE', more),
      (client) => client.reply('r', { interaction_id: '1.1', text: 'x' }),
    );
    expect(error).toMatchObject({
      code: 'REPLY_STALE',
      message: 'it is REPLY_STALE',
      fix: 'Look at the run.',
      facts: { status: 'succeeded', open: null, http_status: 409 },
    });
  });

  test.each([
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'RUN_NOT_FOUND'],
    [409, 'RUN_ENDED'],
    [409, 'IDEMPOTENCY_CONFLICT'],
    [413, 'BODY_TOO_LARGE'],
  ])('%i %s', async (status, code) => {
    expect(await errorOf((_, response) => refuse(response, status, code))).toMatchObject({ code });
  });

  test('with an unknown code is INTERNAL, with the code as a fact', async () => {
    const error = await errorOf((_, response) => refuse(response, 418, 'TEAPOT'));
    expect(error).toMatchObject({ code: 'INTERNAL', facts: { server_code: 'TEAPOT', http_status: 418 } });
    expect(await errorOf((_, response) => refuse(response, 418, 'constructor'))).toMatchObject({ code: 'INTERNAL' });
  });

  test('that is temporary includes the retry time', async () => {
    const error = await errorOf((_, response) => {
      response.setHeader('retry-after', '7');
      refuse(response, 429, 'QUEUE_FULL');
    });
    expect(error).toMatchObject({ code: 'QUEUE_FULL', facts: { retry_after_ms: 7000 } });
  });
});

describe('an answer of another server', () => {
  test.each([
    [401, 'UNAUTHORIZED'],
    [404, 'NOT_FOUND'],
    [502, 'SERVER_UNREACHABLE'],
    [500, 'INTERNAL'],
  ])('is judged by its status, %i', async (status, code) => {
    const error = await errorOf((_, response) => void response.writeHead(status).end('<html>no</html>'));
    expect(error).toMatchObject({ code, facts: { http_status: status, body: '<html>no</html>' } });
  });

  test('is not accepted as valid', async () => {
    expect(await errorOf((_, response) => void response.end('<html>'))).toMatchObject({ code: 'INTERNAL' });
    const error = await errorOf((_, response) => answerJson(response, { run_id: 7 }));
    expect(error).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('run_id') });
    const page = await errorOf(
      (_, response) => answerJson(response, { events: [{ seq: 1 }], next_cursor: null, total: 1 }),
      (client) => client.events('r'),
    );
    expect(page).toMatchObject({ code: 'INTERNAL', message: expect.stringContaining('protocol_version') });
  });
});

describe('a server that cannot be reached', () => {
  test('is SERVER_UNREACHABLE, with the system error', async () => {
    const server = await frameServer(() => {});
    await server.stop();
    const error = await createClient({ url: server.url, token: 't' })
      .health()
      .catch((thrown: TachoError) => thrown);
    expect(error).toMatchObject({ code: 'SERVER_UNREACHABLE', message: expect.stringContaining('ECONNREFUSED') });
  });

  test('is the same error when it disappears during an answer', async () => {
    const error = await errorOf((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
      response.write('{"run_id":', () => response.destroy());
    });
    expect(error.code).toBe('SERVER_UNREACHABLE');
  });
});

test('an aborted call rejects with the reason of its signal', async () => {
  const server = await frameServer(() => {});
  const stop = new AbortController();
  const reason = new Error('enough');
  const asked = createClient({ url: server.url, token: 't' }).getRun('r', { signal: stop.signal });
  setTimeout(() => stop.abort(reason), 10);
  await expect(asked).rejects.toBe(reason);
});

test('an invalid address, token or name is refused before anything is sent', async () => {
  for (const url of ['', 'localhost:4100', 'ftp://x', '/v1']) {
    expect(() => createClient({ url, token: 't' })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  }
  for (const token of ['', 'a b', 'x\n', 'é']) {
    expect(() => createClient({ url: 'http://x', token })).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  }
  const client = createClient({ url: 'http://127.0.0.1:1', token: 't' });
  for (const name of ['', '.', '..']) {
    await expect(client.getRun(name)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  }
});

test('accepts a custom fetch', async () => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (url) => {
    asked.push(String(url));
    return new Response('{"status":"ok","version":"1"}', { status: 200 });
  };
  expect(await createClient({ url: 'http://example', token: 't', fetch }).health()).toMatchObject({ status: 'ok' });
  expect(asked).toEqual(['http://example/v1/health']);
});
