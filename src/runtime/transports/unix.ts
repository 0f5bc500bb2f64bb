import fs from 'node:fs';
import net from 'node:net';
import { isContainedPeer } from '../../files/index.ts';
import type { CallRuntime } from '../call-runtime.ts';
import { serveConnection } from '../rpc/connection.ts';

export interface UnixOptions {
  socketPath: string;
  call: CallRuntime;
  isSecret: (secret: string) => boolean;
  /** Without it, reaching the socket is enough; a wrong secret is refused all the same. */
  secretRequired: boolean;
}

export interface UnixServer {
  /** Takes no more connections, and lets those there are end; those that do not are cut after the grace. */
  close(graceMs: number): Promise<void>;
}

/** Connections that have not shown the secret: how many there may be, and for how long. The oldest make room. */
const MOST_STRANGERS = 128;
const STRANGER_MS = 10_000;
const LAST_WORDS_MS = 1000;

/** Listens on a socket that only this user can reach, in a folder that only this user can enter. */
export async function listenUnix({ socketPath, call, isSecret, secretRequired }: UnixOptions): Promise<UnixServer> {
  const connections = new Set<net.Socket>();
  const strangers = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    if (isContainedPeer(socket)) return void socket.destroy();
    connections.add(socket);
    strangers.add(socket);
    for (const oldest of strangers) {
      if (strangers.size <= MOST_STRANGERS) break;
      strangers.delete(oldest);
      oldest.destroy();
    }
    const impatience = setTimeout(() => socket.destroy(), STRANGER_MS).unref();
    const welcome = (): void => {
      clearTimeout(impatience);
      strangers.delete(socket);
    };
    socket.on('error', () => {}); // The client is gone, which `close` tells.
    socket.on('close', () => {
      welcome();
      connections.delete(socket);
    });
    if (!secretRequired) welcome();
    const checks = { isSecret, secretRequired, onAuthorised: welcome };
    void serveConnection({ input: socket, output: socket, call, ...checks }).then(() => {
      // The last answer would be lost to a client that is still sending if we did not listen.
      socket.resume();
      setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, resolve);
  });
  fs.chmodSync(socketPath, 0o600);
  return {
    close: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of connections) socket.pause().end();
      const cut = setTimeout(() => {
        for (const socket of connections) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
