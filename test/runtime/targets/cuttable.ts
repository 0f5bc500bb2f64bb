import net from 'node:net';

export interface Cuttable {
  server: net.Server;
  /** Cuts all current connections; later ones work. */
  cut(): void;
  /** Cuts them after this number of further bytes to the other side. */
  cutAfter(bytes: number): void;
  /** Number of connections so far. */
  connections(): number;
  close(): void;
}

/** A proxy to a socket whose connections can be cut. */
export async function cuttable(near: net.ListenOptions, far: net.NetConnectOpts): Promise<Cuttable> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  let left = Number.POSITIVE_INFINITY;
  const cut = () => {
    left = Number.POSITIVE_INFINITY;
    for (const socket of sockets) socket.destroy();
  };
  // One side may still send after the other has finished.
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections++;
    const other = net.connect({ ...far, allowHalfOpen: true, noDelay: true });
    for (const side of [socket, other]) {
      sockets.add(side);
      side.on('error', () => {});
      side.on('close', () => {
        sockets.delete(side);
        socket.destroy();
        other.destroy();
      });
    }
    socket.pipe(other).pipe(socket);
    socket.on('data', ({ length }) => {
      left -= length;
      if (left < 0) cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(near, resolve));
  const close = () => {
    cut();
    server.close();
  };
  const cutAfter = (bytes: number) => {
    left = bytes;
  };
  return { server, cut, cutAfter, close, connections: () => connections };
}
