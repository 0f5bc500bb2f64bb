import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import { TachoError } from '../../protocol/index.ts';
import type { Wire } from './link.ts';

/** A connection to the socket of a daemon. */
export function connectSocket(socketPath: string): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath);
    socket.once('error', (cause) => {
      reject(new TachoError('SERVER_UNREACHABLE', `nobody answers at ${socketPath}`, { cause }));
    });
    socket.once('connect', () => {
      socket.on('error', () => {}); // The end of what is read tells it.
      resolve({ input: socket, output: socket, close: () => socket.destroy() });
    });
  });
}

/** The streams of a process that speaks as `tacho runtime --stdio` does: here, in a container, over ssh. */
export function wireOfProcess(child: ChildProcess): Wire {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the process has no pipes');
  return { input: stdout, output: stdin, close: () => stdin.end() };
}
