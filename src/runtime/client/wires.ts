import type { ChildProcess } from 'node:child_process';
import net from 'node:net';
import { isContainedPeer } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import type { Wire } from './link.ts';

/** A connection to the socket of a daemon. */
export function connectSocket(socketPath: string): Promise<Wire> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(socketPath);
    socket.once('error', (cause) => {
      reject(new TachoError('SERVER_UNREACHABLE', `no answer at ${socketPath}`, { cause }));
    });
    socket.once('connect', () => {
      if (isContainedPeer(socket)) {
        socket.destroy();
        return reject(posing(socketPath));
      }
      socket.on('error', () => {}); // The end of what is read tells it.
      resolve({ input: socket, output: socket, close: () => socket.destroy() });
    });
  });
}

/** A program in a sandbox writes the workspace, so it may offer a daemon there to those outside. */
function posing(socketPath: string): TachoError {
  return new TachoError('AUTH_FAILED', `the process that listens at ${socketPath} runs in a sandbox`, {
    facts: { path: socketPath },
    fix: 'End it, and remove the folder of the socket.',
  });
}

/** The streams of a process that speaks as `tacho runtime --stdio` does: here, in a container, over ssh. */
export function wireOfProcess(child: ChildProcess): Wire {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the process has no pipes');
  return { input: stdout, output: stdin, close: () => stdin.end() };
}
