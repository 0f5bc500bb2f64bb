import { expect, onTestFinished, test } from 'vitest';
import type { Wire } from '../../src/runtime/client/link.ts';
import { RuntimeClient } from '../../src/runtime/client/runtime-client.ts';
import { connectSocket } from '../../src/runtime/client/wires.ts';
import { SECRET, serveRuntime } from './serve.ts';

test('concurrent calls share one connection, and also the next one after it is lost', async () => {
  const { socketPath } = await serveRuntime();
  const wires: Wire[] = [];
  const client = new RuntimeClient({
    connect: async () => {
      const wire = await connectSocket(socketPath);
      wires.push(wire);
      return { wire, secret: SECRET };
    },
  });
  onTestFinished(() => client.close());
  const callTogether = () => Promise.all([1, 2, 3].map(() => client.call('system.ping', {})));
  await callTogether();
  expect(wires).toHaveLength(1);
  wires[0]!.close();
  await callTogether();
  expect(wires).toHaveLength(2);
});
