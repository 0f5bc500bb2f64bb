import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../support/tacho.ts';
import { type Cuttable, cuttable } from './cuttable.ts';

const PODMAN = ['podman', '--runtime=runc'];
const LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024', '--network=none'];
const IMAGE = 'localhost/tacho-target:1';

export interface PodmanContainer extends Pick<Cuttable, 'cut' | 'connections'> {
  /** Its entry in the configuration. */
  settings: { socket: string; container: string };
  /** Starts another container with these options of `podman run`; returns its name. */
  startAnother(...options: string[]): string;
  /** A container that is not running. */
  createAnother(): string;
  remove(container: string): void;
  /** Runs a program in a container; returns its output. */
  inside(container: string, ...argv: string[]): string;
  stop(): Promise<void>;
}

/**
 * A container with this machine's programs but without tacho, and the Podman API on a socket, through a proxy whose
 * connections can be cut.
 */
export async function startContainer(): Promise<PodmanContainer> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-podman-'));
  ensureImage(folder);
  const names: string[] = [];
  const make = (...how: string[]) => {
    const name = `tacho-target-${process.pid}-${Date.now()}`;
    const volume = ['--volume', '/usr:/usr:ro', '--env', 'HOME=/root'];
    run([...PODMAN, ...how, '--name', name, ...LIMITS, ...volume, IMAGE, '/bin/sleep', '600']);
    names.push(name);
    return name;
  };
  const startAnother = (...options: string[]) => make('run', '--detach', '--rm', ...options);
  const remove = (...containers: string[]) =>
    void run([...PODMAN, 'rm', '--force', '--ignore', '--time', '0', ...containers]);
  const socket = path.join(folder, 'podman.sock');
  const service = spawn(PODMAN[0]!, [...PODMAN.slice(1), 'system', 'service', '--time=0', `unix://${socket}`], {
    stdio: 'ignore',
  });
  const exited = new Promise((resolve) => service.once('exit', resolve));
  const container = startAnother();
  while (!fs.existsSync(socket)) {
    if (service.exitCode !== null) throw new Error(`podman system service ended (${service.exitCode})`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const way = await cuttable({ path: path.join(folder, 'way.sock') }, { path: socket });
  return {
    settings: { socket: path.join(folder, 'way.sock'), container },
    startAnother,
    createAnother: () => make('create'),
    remove,
    inside: (name, ...argv) => run([...PODMAN, 'exec', name, ...argv]),
    cut: way.cut,
    connections: way.connections,
    stop: async () => {
      way.close();
      service.kill();
      await exited;
      remove(...names);
      removeFolder(folder);
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

function run([program, ...words]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  return stdout;
}
