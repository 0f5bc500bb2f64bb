import net from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { DEFAULTS } from '../../src/config/index.ts';
import { createSecretCheck } from '../../src/files/index.ts';
import { createCall } from '../../src/runtime/call-runtime.ts';
import { RuntimeClient } from '../../src/runtime/client/runtime-client.ts';
import { connectSocket } from '../../src/runtime/client/wires.ts';
import { openRuntime, type Runtime } from '../../src/runtime/runtime.ts';
import type { RuntimeSettings } from '../../src/runtime/session-defaults.ts';
import { listenUnix } from '../../src/runtime/transports/unix.ts';
import { temporaryFolder } from '../support/tacho.ts';

export const SECRET = 'the-secret-of-this-test';

export interface ServedRuntime {
  workspace: string;
  socketPath: string;
  runtime: Runtime;
  client: RuntimeClient;
}

/** A runtime in this process behind a real socket, and its client; both end with the test. */
export async function serveRuntime(changed: Partial<RuntimeSettings> = {}): Promise<ServedRuntime> {
  const workspace = temporaryFolder();
  const socketPath = path.join(temporaryFolder(), 'runtime.sock');
  const settings = { ...DEFAULTS.runtime, ...changed };
  const socketSecret = settings.socket_secret;
  const runtime = openRuntime({ workspace, environment: process.env, version: '0', settings, socketSecret });
  const server = await listenUnix({
    socketPath,
    call: createCall(runtime),
    isSecret: createSecretCheck(SECRET),
    secretRequired: socketSecret === 'required',
  });
  const client = new RuntimeClient({
    connect: async () => ({ wire: await connectSocket(socketPath), secret: SECRET }),
  });
  onTestFinished(async () => {
    client.close();
    await runtime.sessions.destroyAll();
    await server.close(0);
  });
  return { workspace, socketPath, runtime, client };
}

type Message = { id?: unknown } & Record<string, unknown>;

/** A connection that sends raw bytes, and the lines that come back. */
export interface RawConnection {
  socket: net.Socket;
  send(message: unknown): void;
  /** The next message; null when the connection has ended. */
  next(): Promise<Message | null>;
}

export async function connectRaw(socketPath: string): Promise<RawConnection> {
  const socket = net.connect({ path: socketPath, allowHalfOpen: true });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await new Promise((resolve) => socket.once('connect', resolve));
  const lines = readLines(socket);
  return {
    socket,
    send: (message) => void socket.write(`${JSON.stringify(message)}\n`),
    next: async () => {
      const { done, value } = await lines.next();
      return done ? null : JSON.parse(value);
    },
  };
}

async function* readLines(socket: net.Socket): AsyncGenerator<string> {
  let held = '';
  try {
    for await (const bytes of socket) {
      held += String(bytes);
      const parts = held.split('\n');
      held = parts.pop()!;
      yield* parts;
    }
  } catch {
    // A reset connection has ended too.
  }
}
