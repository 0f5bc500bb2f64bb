import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { finished, projectRoot, temporaryFolder } from '../../support/tacho.ts';
import { askProgram, findProgram, firstLine, type StandaloneTacho, singleFile } from './single-file.ts';

const PODMAN = ['podman', '--runtime=runc'];
const LIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024', '--network=none'];
/** The names under which busybox is installed; Node and all other programs are missing. */
const PROGRAMS = ['sh', 'setsid', 'sleep', 'true', 'wget'];

/** A container with busybox, the system libraries and the executable; removed when the test ends. */
export function bareContainer(): StandaloneTacho {
  const name = `tacho-bare-${process.pid}-${Date.now()}`;
  run([...PODMAN, 'run', '--detach', '--rm', '--name', name, ...LIMITS, bareImage(), '/bin/sleep', '600']);
  onTestFinished(() => void run([...PODMAN, 'rm', '--force', '--time', '0', name]));
  run([...PODMAN, 'cp', singleFile, `${name}:/tacho`]);
  const start = (words: readonly string[], ...options: string[]) =>
    spawn(PODMAN[0]!, [...PODMAN.slice(1), 'exec', '--env', 'NO_COLOR=1', ...options, name, ...words]);
  return {
    tacho: (args) => finished(start(['/tacho', ...args])),
    ask: (args, line) => askProgram(start(['/tacho', ...args], '--interactive'), line),
    async serve() {
      const ready = await firstLine(start(['/tacho', 'start', '--port', '0', '--json']));
      const { url, token } = JSON.parse(ready) as { url: string; token: string };
      return async (address) => {
        const header = `Authorization: Bearer ${token}`;
        const got = await finished(start(['wget', '-q', '-O', '-', '--header', header, url + address]));
        if (got.code !== 0) throw new Error(`${address}: ${got.stderr}`);
        return got.stdout;
      };
    },
  };
}

/** Builds the image from files of this machine, as there may be no registry; cached under a hash of their names. */
function bareImage(): string {
  const files = [fs.realpathSync(findProgram('busybox')), ...librariesNeeded()];
  const made = createHash('sha256')
    .update([...files, ...PROGRAMS].join('\n'))
    .digest('hex');
  const image = `localhost/tacho-bare:${made.slice(0, 12)}`;
  if (spawnSync(PODMAN[0]!, ['image', 'exists', image]).status === 0) return image;
  const folder = temporaryFolder('tacho-image-');
  const root = path.join(folder, 'root');
  for (const needed of ['tmp', 'proc', 'dev', 'sys', 'etc', 'bin']) {
    fs.mkdirSync(path.join(root, needed), { recursive: true });
  }
  for (const file of files) {
    fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    fs.copyFileSync(file, path.join(root, file));
  }
  for (const program of PROGRAMS) fs.symlinkSync(files[0]!, path.join(root, 'bin', program));
  run(['tar', '-cf', path.join(folder, 'root.tar'), '-C', root, '.']);
  run([...PODMAN, 'import', path.join(folder, 'root.tar'), image]);
  return image;
}

/** The libraries that Node and the native packages are linked with, and the program loader. */
function librariesNeeded(): string[] {
  const packages = path.join(projectRoot, 'node_modules');
  const native = [path.join(packages, '@koromix'), path.join(packages, '@libsql')].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.node') && !name.includes('musl'))
      .map((name) => path.join(folder, name)),
  );
  const linked = run(['ldd', process.execPath, ...native]).matchAll(/(\/\S+) \(0x/g);
  return [...new Set(Array.from(linked, ([, file]) => file!))].sort();
}

function run([program, ...words]: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program!, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${stderr}`);
  return stdout;
}
