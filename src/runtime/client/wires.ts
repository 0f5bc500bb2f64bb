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
        return reject(notADaemon(socketPath));
      }
      socket.on('error', () => {}); // The end of the input reports it.
      resolve({
        input: socket,
        output: socket,
        close: () => socket.destroy(),
        keepProcess: (keeps) => void (keeps ? socket.ref() : socket.unref()),
      });
    });
  });
}

/** A sandboxed program can write to the workspace, so it could offer a fake daemon there. */
function notADaemon(socketPath: string): TachoError {
  return new TachoError('AUTH_FAILED', `the process that listens at ${socketPath} runs in a sandbox`, {
    facts: { path: socketPath },
    fix: 'End it, and remove the folder of the socket.',
  });
}

/** The streams of a process that speaks like `tacho runtime --stdio`: local, in a container, or over ssh. */
export function wireOfProcess(child: ChildProcess): Wire {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('the process has no pipes');
  return { input: stdout, output: stdin, close: () => stdin.end() };
}
