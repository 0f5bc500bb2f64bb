import fs from 'node:fs';
import net from 'node:net';
import { isContainedPeer } from '../../files/index.ts';
import type { CallRuntime } from '../call-runtime.ts';
import { serveConnection } from '../rpc/connection.ts';

export interface UnixOptions {
  socketPath: string;
  call: CallRuntime;
  isSecret: (secret: string) => boolean;
  /** If false, the secret may be missing; a wrong one is still rejected. */
  secretRequired: boolean;
}

export interface UnixServer {
  /** Stops accepting connections and waits for open ones; after the grace period those are cut. */
  close(graceMs: number): Promise<void>;
}

/** Limits for connections that have not sent the secret: how many, and for how long. The oldest are closed first. */
const MAX_UNAUTHENTICATED = 128;
const AUTH_TIMEOUT_MS = 10_000;
const LINGER_MS = 1000;

/** Listens on a socket that only this user can reach, in a folder that only this user can enter. */
export async function listenUnix({ socketPath, call, isSecret, secretRequired }: UnixOptions): Promise<UnixServer> {
  const connections = new Set<net.Socket>();
  const unauthenticated = new Set<net.Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    if (isContainedPeer(socket)) return void socket.destroy();
    connections.add(socket);
    unauthenticated.add(socket);
    for (const oldest of unauthenticated) {
      if (unauthenticated.size <= MAX_UNAUTHENTICATED) break;
      unauthenticated.delete(oldest);
      oldest.destroy();
    }
    const authTimer = setTimeout(() => socket.destroy(), AUTH_TIMEOUT_MS).unref();
    const leaveUnauthenticated = (): void => {
      clearTimeout(authTimer);
      unauthenticated.delete(socket);
    };
    socket.on('error', () => {}); // The client has disconnected, which `close` reports.
    socket.on('close', () => {
      leaveUnauthenticated();
      connections.delete(socket);
    });
    if (!secretRequired) leaveUnauthenticated();
    const checks = { isSecret, secretRequired, onAuthorised: leaveUnauthenticated };
    void serveConnection({ input: socket, output: socket, call, ...checks }).then(() => {
      // Keep reading: otherwise a client that is still sending would lose the last response.
      socket.resume();
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
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
