import fs from 'node:fs';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ControlClient } from '../../../src/runs/control/control-client.ts';
import { type ControlPlace, locateControl } from '../../../src/runs/control/control-path.ts';
import { ControlServer } from '../../../src/runs/control/control-server.ts';
import { temporaryFolder } from '../../support/tacho.ts';

interface Listening {
  place: ControlPlace;
  server: ControlServer;
  client: ControlClient;
  other: ControlClient;
}

async function listening(): Promise<Listening> {
  const place = locateControl({ root: temporaryFolder() }, 'run');
  const server = await ControlServer.listen(place);
  onTestFinished(() => server.close());
  const connect = async () => {
    const client = await ControlClient.connect(place);
    onTestFinished(() => client.close());
    return client;
  };
  return { place, server, client: await connect(), other: await connect() };
}

test('keys sent before the program has started are typed afterwards, in order', async () => {
  const { server, client, other } = await listening();
  const sent = ['one', 'two'].map((text) => client.send({ op: 'write', data: Buffer.from(text).toString('base64') }));
  // After two answers to another client, the server has read both.
  for (let round = 0; round < 2; round++) await other.send({ op: 'ping' });
  const typed: string[] = [];
  server.attach({ write: async (bytes) => void typed.push(bytes.toString()), resize() {}, cancel() {} });
  await Promise.all(sent);
  expect(typed).toEqual(['one', 'two']);
});

test('keys for a program that never starts are refused when the attempt closes', async () => {
  const { server, client } = await listening();
  const sent = client.send({ op: 'write', data: '' });
  const refused = expect(sent).rejects.toMatchObject({ code: 'RUN_NOT_LIVE' });
  server.close();
  await refused;
});

test('a client that does not send the secret first is ignored', async () => {
  const { place, server } = await listening();
  let canceled = 0;
  server.attach({ write: async () => {}, resize() {}, cancel: () => void canceled++ });
  const secret = fs.readFileSync(place.secretFile, 'utf8');
  const greetings = [
    '',
    '{"op":"cancel"}',
    '{"secret":""}',
    `{"secret":"${secret}x"}`,
    `{"secret":["${secret}"]}`,
    'null',
  ];
  for (const greeting of greetings) {
    const connection = net.connect(place.socket);
    connection.write(`${greeting}\n{"op":"cancel"}\n`);
    expect(await text(connection)).toBe('{"ok":false,"error":"the secret is wrong"}\n');
  }
  const endless = net.connect(place.socket);
  endless.on('error', () => {});
  endless.write('x'.repeat(100_000));
  expect(await text(endless).catch(() => '')).toBe('');
  expect(canceled).toBe(0);
});

test('the secret is private, new with each attempt, and gone with the socket', async () => {
  const { place, server } = await listening();
  const stat = fs.statSync(place.secretFile);
  expect(stat.mode & 0o777).toBe(0o600);
  const first = fs.readFileSync(place.secretFile, 'utf8');
  server.close();
  expect([place.socket, place.secretFile].filter((file) => fs.existsSync(file))).toEqual([]);
  const next = await ControlServer.listen(place);
  onTestFinished(() => next.close());
  expect(fs.readFileSync(place.secretFile, 'utf8')).not.toBe(first);
});
