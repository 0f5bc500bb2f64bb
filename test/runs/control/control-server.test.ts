import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../../src/runs/control/control-client.ts';
import { ControlServer } from '../../../src/runs/control/control-server.ts';
import { temporaryFolder } from '../../support/tacho.ts';

async function listening(): Promise<{ server: ControlServer; client: ControlClient; other: ControlClient }> {
  const socket = path.join(temporaryFolder(), 'sock/run.sock');
  const server = await ControlServer.listen(socket);
  onTestFinished(() => server.close());
  const connect = async () => {
    const client = await ControlClient.connect(socket);
    onTestFinished(() => client.close());
    return client;
  };
  return { server, client: await connect(), other: await connect() };
}

test('keys that come before the program has started are typed once it has, in their order', async () => {
  const { server, client, other } = await listening();
  const sent = ['one', 'two'].map((text) => client.send({ op: 'write', data: Buffer.from(text).toString('base64') }));
  // The server has read both by the time it has answered somebody else twice.
  for (let round = 0; round < 2; round++) await other.send({ op: 'ping' });
  const typed: string[] = [];
  server.attach({ write: async (bytes) => void typed.push(bytes.toString()), resize() {}, cancel() {} });
  await Promise.all(sent);
  expect(typed).toEqual(['one', 'two']);
});

test('keys for a program that never starts are refused when the attempt is closed', async () => {
  const { server, client } = await listening();
  const sent = client.send({ op: 'write', data: '' });
  const refused = expect(sent).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
  server.close();
  await refused;
});
