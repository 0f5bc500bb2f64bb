import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const TRIES = 3;

export type Installed = { folder: string; problem: null } | { folder: null; problem: string };

/** Installs a peer outside of our own dependencies, once; its folder, or why it cannot be had here. */
export function installPackage(name: string, version: string): Installed {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.tmpdir(), 'tacho-bench-peers');
  const folder = path.join(cache, `tacho-bench-${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}`);
  if (fs.existsSync(folder)) return { folder, problem: null };
  const wanted = `${name}@${version}`;
  // Beside it first, then put in place, so that an installation is whole or not there.
  const fresh = `${folder}.${process.pid}.new`;
  let problem = '';
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    process.stderr.write(`  installing ${wanted}, to compare with …\n`);
    fs.rmSync(fresh, { recursive: true, force: true });
    fs.mkdirSync(fresh, { recursive: true });
    fs.writeFileSync(path.join(fresh, 'package.json'), '{"private":true}\n');
    const words = ['install', wanted, '--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status, stderr, error } = spawnSync('npm', words, { cwd: fresh, encoding: 'utf8', timeout: 120_000 });
    if (status === 0) {
      fs.renameSync(fresh, folder);
      return { folder, problem: null };
    }
    problem = error?.message ?? reasonIn(stderr);
  }
  fs.rmSync(fresh, { recursive: true, force: true });
  return { folder: null, problem: `npm could not install it: ${problem}` };
}

/** The code npm gives; what follows it is long and names folders of this machine. */
function reasonIn(complaints: string): string {
  return /^npm error code (\S+)/m.exec(complaints)?.[1] ?? 'no reason given';
}
