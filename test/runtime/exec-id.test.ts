import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RuntimeClient } from '../../src/runtime/client/runtime-client.ts';
import { connectSocket } from '../../src/runtime/client/wires.ts';
import { proofSize } from '../support/proof-size.ts';
import { SECRET, serveRuntime } from './serve.ts';

const ROUNDS = proofSize({ small: 3, full: 100 });
const CALLS = 20;

/** Clients with a separate connection each. */
function clientsOf(socketPath: string, count: number): RuntimeClient[] {
  return Array.from({ length: count }, () => {
    const client = new RuntimeClient({
      connect: async () => ({ wire: await connectSocket(socketPath), secret: SECRET }),
    });
    onTestFinished(() => client.close());
    return client;
  });
}

test('an exec_id in many concurrent calls runs once', async () => {
  const { socketPath, workspace } = await serveRuntime();
  const clients = clientsOf(socketPath, 4);
  for (let round = 0; round < ROUNDS; round++) {
    const ran = path.join(workspace, `ran-${round}`);
    const params = { exec_id: `once-${round}`, argv: ['sh', '-c', `echo x >>${ran}; echo done`] };
    const calls = Array.from({ length: CALLS }, (_, at) => clients[at % clients.length]!.call('exec.run', params));
    const settled = await Promise.allSettled(calls);
    const won = settled.flatMap((call) => (call.status === 'fulfilled' ? [call.value] : []));
    const refused = settled.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []));
    expect(won.map(({ stdout }) => stdout.data)).toEqual(['done\n']);
    expect(refused).toHaveLength(CALLS - 1);
    for (const error of refused) expect(error).toMatchObject({ code: 'INVALID_PARAMS' });
    expect(fs.readFileSync(ran, 'utf8')).toBe('x\n');
  }
});

test('a command can be canceled and resumed while it starts', async () => {
  const { client } = await serveRuntime();
  const running = client.call('exec.run', { exec_id: 'early', argv: ['sleep', '60'] });
  const resumed = client.call('exec.run', { exec_id: 'early', argv: ['sleep', '60'], resume: {} });
  expect(await client.call('exec.cancel', { exec_id: 'early' })).toEqual({ canceled: true });
  expect(await running).toMatchObject({ canceled: true });
  expect(await resumed).toMatchObject({ canceled: true });
});

test('an exec_id whose command could not be started can be used again', async () => {
  const { client } = await serveRuntime();
  const start = (program: string) => client.call('exec.run', { exec_id: 'again', argv: [program] });
  await expect(start('/no/such/program')).rejects.toMatchObject({ code: 'COMMAND_UNAVAILABLE' });
  expect(await start('true')).toMatchObject({ exit_code: 0 });
});
