import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createCall } from '../../src/runtime/call-runtime.ts';
import { listenHttp } from '../../src/runtime/transports/http.ts';
import { serveStreams } from '../../src/runtime/transports/stdio.ts';
import { connectRaw, SECRET, serveRuntime } from './serve.ts';

const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'exec.run',
  params: { argv: ['cat'], stdin: { data: Buffer.from('over the wire').toString('base64'), encoding: 'base64' } },
};
const answer = { id: 1, result: { exit_code: 0, stdout: { data: 'over the wire' } } };

test('the input of a command is passed over the socket and over HTTP', async () => {
  const { socketPath, runtime } = await serveRuntime();
  const { send, next } = await connectRaw(socketPath);
  send({ ...request, secret: SECRET });
  expect(await next()).toMatchObject(answer);
  const token = 'a-token-of-this-test-only';
  const { url, close } = await listenHttp({ host: '127.0.0.1', port: 0, token, call: createCall(runtime) });
  onTestFinished(close);
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${url}/rpc`, { method: 'POST', headers, body: JSON.stringify(request) });
  expect(await response.json()).toMatchObject(answer);
});

test('the input of a command is passed over stdio', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const served = serveStreams({ input, output }, { workspace: '/', environment: process.env, version: '0' });
  input.end(`${JSON.stringify(request)}\n`);
  await served;
  expect(JSON.parse(String(output.read()))).toMatchObject(answer);
});

test.each([
  ['text', 'plain text'],
  ['an unknown encoding', { data: 'x', encoding: 'latin1' }],
])('a stdin that is %s is refused', async (_what, stdin) => {
  const { client } = await serveRuntime();
  const params = { argv: ['cat'], stdin } as { argv: string[] };
  await expect(client.call('exec.run', params)).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
});
