import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../support/tacho.ts';
import { type Cuttable, cuttable } from './cuttable.ts';

export interface SshServer extends Pick<Cuttable, 'cut' | 'cutAfter' | 'connections'> {
  /** Its entry in the configuration. */
  settings: { host: string; port: number; user: string; host_key: string; key_file: string };
  folder: string;
  stop(): Promise<void>;
}

/** A real sshd on loopback with its own keys, through a proxy whose connections can be cut. */
export async function startSshServer(): Promise<SshServer> {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-ssh-')));
  const at = (name: string) => path.join(folder, name);
  for (const name of ['host', 'user']) {
    run(['ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', at(name)]);
  }
  fs.copyFileSync(at('user.pub'), at('authorized'));
  const lines = [
    `HostKey ${at('host')}`,
    `AuthorizedKeysFile ${at('authorized')}`,
    'PidFile none',
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    // By default sshd randomly drops connections if more than ten are unauthenticated.
    'MaxStartups 100',
    // Keeps copied files inside the test's folder.
    `SetEnv XDG_CACHE_HOME=${at('cache')}`,
  ];
  const configure = (port: number) =>
    fs.writeFileSync(at('config'), `${[`ListenAddress 127.0.0.1:${port}`, ...lines].join('\n')}\n`);
  // As root, sshd needs a folder that its package creates at boot.
  if (process.getuid!() === 0) fs.mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  let sshd: ChildProcess;
  let port: number;
  do {
    port = await freePort();
    configure(port);
    sshd = spawn('/usr/sbin/sshd', ['-D', '-e', '-f', at('config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  } while (!(await listening(sshd)));
  const proxy = await cuttable({ port: 0, host: '127.0.0.1' }, { port, host: '127.0.0.1' });
  return {
    settings: {
      host: '127.0.0.1',
      port: (proxy.server.address() as net.AddressInfo).port,
      user: os.userInfo().username,
      host_key: fs.readFileSync(at('host.pub'), 'utf8').trim(),
      key_file: at('user'),
    },
    folder,
    cut: proxy.cut,
    cutAfter: proxy.cutAfter,
    connections: proxy.connections,
    stop: async () => {
      proxy.close();
      const exited = new Promise((resolve) => sshd.once('exit', resolve));
      sshd.kill();
      await exited;
      removeFolder(folder);
    },
  };
}

/** False if another process took the port meanwhile. */
function listening(sshd: ChildProcess): Promise<boolean> {
  let said = '';
  return new Promise((resolve, reject) => {
    sshd.once('close', () => {
      if (said.includes('Address already in use')) resolve(false);
      else reject(new Error(`sshd ended: ${said}`));
    });
    sshd.stderr!.on('data', (bytes) => {
      said += String(bytes);
      if (said.includes('Server listening')) resolve(true);
    });
  });
}

async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function run([program, ...words]: readonly string[]): void {
  const { status, stderr } = spawnSync(program!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}
