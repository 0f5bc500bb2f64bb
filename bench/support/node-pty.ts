import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const VERSION = '1.1.0';

/** The part of node-pty that is used here. */
interface NodePty {
  spawn(
    command: string,
    args: readonly string[],
    options: { encoding: null; cols?: number; rows?: number },
  ): {
    onData(listener: (data: Buffer) => void): void;
    onExit(listener: () => void): void;
  };
}

/**
 * Installs node-pty once, outside of our own dependencies; returns its folder, or null when it cannot be built here.
 */
export function installNodePty(): string | null {
  const cache = process.env.XDG_CACHE_HOME || path.join(os.tmpdir(), 'tacho-bench-peers');
  const folder = path.join(cache, `tacho-bench-node-pty-${VERSION}`);
  if (!works(folder)) {
    process.stderr.write('  installing node-pty, to compare with …\n');
    fs.mkdirSync(folder, { recursive: true });
    fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true,"allowScripts":{"node-pty":true}}\n');
    const npm = ['install', `node-pty@${VERSION}`, '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
    spawnSync('npm', npm, { stdio: ['ignore', 2, 2], cwd: folder });
  }
  return works(folder) ? folder : null;
}

export function loadNodePty(folder: string): NodePty {
  return createRequire(path.join(folder, 'package.json'))('node-pty') as NodePty;
}

function works(folder: string): boolean {
  try {
    loadNodePty(folder);
    return true;
  } catch {
    return false;
  }
}
