import fs from 'node:fs';
import type net from 'node:net';
import { loadLibc } from './libc.ts';

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

let getsockopt: ((fd: number, level: number, name: number, value: Buffer, size: Buffer) => number) | null = null;

/**
 * Whether the process at the other end of a Unix socket lives in a pid namespace within ours, as in a sandbox. Whatever
 * secret such a process got hold of, nothing is done for it out here. The same holds if it cannot be determined.
 */
export function isContainedPeer(socket: net.Socket): boolean {
  const pid = peerPid(socket);
  if (pid <= 0) return true;
  try {
    // One number for each namespace, beginning with ours.
    const numbers = /^NSpid:\s+(.*)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return numbers !== undefined && numbers.trim().split(/\s+/).length > 1;
  } catch {
    return true; // Gone already.
  }
}

function peerPid(socket: net.Socket): number {
  const { fd } = (socket as unknown as { _handle: { fd: number } | null })._handle ?? { fd: -1 };
  getsockopt ??= loadLibc().libc.func('int getsockopt(int fd, int level, int name, void *value, void *size)');
  const credentials = Buffer.alloc(12);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(credentials.length);
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, size) < 0 ? 0 : credentials.readInt32LE(0);
}
