import path from 'node:path';
import { serverFolder, serverUser, type TestServer, testServer } from './server-process.ts';

/** A Redis server that keeps nothing on disk, reached by a socket. */
export function redisServer(): TestServer {
  const user = serverUser('redis');
  const folder = serverFolder(user);
  const socket = path.join(folder, 'redis.sock');
  const argv = [
    'redis-server',
    '--port',
    '0',
    '--unixsocket',
    socket,
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  return testServer({ folder, dsn: socket, argv, user, ready: /ready to accept connections/i, killSignal: 'SIGKILL' });
}
