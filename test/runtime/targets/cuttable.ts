import net from 'node:net';

export interface Cuttable {
  server: net.Server;
  /** Cuts all connections there are; later ones go through. */
  cut(): void;
  /** Cuts them when that many bytes more have gone to the other side. */
  cutAfter(bytes: number): void;
  /** How many there were. */
  connections(): number;
  close(): void;
}

/** A way to a socket that can be cut. */
export async function cuttable(near: net.ListenOptions, far: net.NetConnectOpts): Promise<Cuttable> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  let left = Number.POSITIVE_INFINITY;
  const cut = () => {
    left = Number.POSITIVE_INFINITY;
    for (const socket of sockets) socket.destroy();
  };
  // What one side has said is not cut off because the other has said all.
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
