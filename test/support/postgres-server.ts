import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { serverFolder, serverUser, type TestServer, testServer } from './server-process.ts';

const VERSIONS = '/usr/lib/postgresql';

/** A PostgreSQL server with an empty database, reached by a socket. */
export function postgresServer(): TestServer {
  const user = serverUser('postgres');
  const folder = serverFolder(user);
  const data = path.join(folder, 'data');
  const initdb = [
    program('initdb'),
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale',
    'C',
    '--no-sync',
  ];
  execFileSync(initdb[0]!, [...initdb.slice(1), '--no-instructions'], { cwd: folder, stdio: 'ignore', ...user });
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'max_connections=20'];
  const argv = [program('postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])];
  const dsn = `postgresql:///postgres?user=postgres&host=${encodeURIComponent(folder)}`;
  return testServer({ folder, dsn, argv, user, ready: /ready to accept connections/, killSignal: 'SIGQUIT' });
}

/** Debian keeps the programs of the server outside of PATH. */
function program(name: string): string {
  const versions = fs.existsSync(VERSIONS) ? fs.readdirSync(VERSIONS).sort((a, b) => Number(b) - Number(a)) : [];
  const found = versions
    .map((version) => path.join(VERSIONS, version, 'bin', name))
    .find((file) => fs.existsSync(file));
  return found ?? name;
}
