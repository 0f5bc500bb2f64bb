import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const PODMAN = ['podman', '--runtime=runc'];
const LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024', '--network=none'];
const IMAGE = 'localhost/tacho-target:1';

export interface PodmanContainer {
  /** Of the configuration. */
  settings: { socket: string; container: string };
  stop(): Promise<void>;
}

/** A container in which this machine's programs can be seen but nothing of ours, and the API of Podman on a socket. */
export async function startContainer(): Promise<PodmanContainer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-podman-'));
  const container = `tacho-target-${process.pid}-${Date.now()}`;
  ensureImage(folder);
  const volume = ['--volume', '/usr:/usr:ro', '--env', 'HOME=/root'];
  run([...PODMAN, 'run', '--detach', '--rm', '--name', container, ...LIMITS, ...volume, IMAGE, '/bin/sleep', '600']);
  const socket = path.join(folder, 'podman.sock');
  const service = spawn(PODMAN[0]!, [...PODMAN.slice(1), 'system', 'service', '--time=0', `unix://${socket}`], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => service.once('exit', resolve));
  while (!fs.existsSync(socket)) {
    if (service.exitCode !== null) throw new Error(`podman system service ended (${service.exitCode})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    settings: { socket, container },
    stop: async () => {
      service.kill();
      await exited;
      run([...PODMAN, 'rm', '--force', '--time', '0', container]);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Folders and links only: the programs come from this machine. */
function ensureImage(folder: string): void {
  if (spawnSync(PODMAN[0]!, ['image', 'exists', IMAGE]).status === 0) return;
  const root = path.join(folder, 'root');
  for (const name of ['root', 'tmp', 'proc', 'dev', 'sys', 'etc', 'usr', 'work']) {
    fs.mkdirSync(path.join(root, name), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) fs.symlinkSync(`usr/${name}`, path.join(root, name));
  run(['tar', '-cf', path.join(folder, 'root.tar'), '-C', root, '.']);
  run([...PODMAN, 'import', path.join(folder, 'root.tar'), IMAGE]);
}

function run([program, ...words]: readonly string[]): void {
  const { status, stderr } = spawnSync(program!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
}
