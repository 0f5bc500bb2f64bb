import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const TRIES = 3;

export type Installed = { folder: string; problem: null } | { folder: null; problem: string };

/** Installs a peer once, outside of our own dependencies; returns its folder, or why it is unavailable. */
export function installPackage(name: string, version: string): Installed {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.tmpdir(), 'tacho-bench-peers');
  const folder = path.join(cache, `tacho-bench-${name.replaceAll(/[@/]+/g, '-').replace(/^-/, '')}-${version}`);
  if (fs.existsSync(folder)) return { folder, problem: null };
  const wanted = `${name}@${version}`;
  // Installed under a temporary name and then renamed, so that an installation is complete or absent.
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

/** The error code of npm; the rest is long and contains folders of this machine. */
function reasonIn(complaints: string): string {
  return /^npm error code (\S+)/m.exec(complaints)?.[1] ?? 'no reason given';
}
