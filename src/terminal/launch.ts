import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../protocol/index.ts';
import { MARKER_VARIABLE } from './processes/process-tree.ts';
import { spawnTagged } from './processes/session-tag.ts';

export interface LaunchOptions {
  argv: readonly string[];
  cwd: string;
  env: Record<string, string>;
  marker: string;
  /**
   * Terminals for stdin, stdout and stderr, the first of which becomes the controlling one; then further descriptors.
   */
  stdio: number[];
  /**
   * Whether the program receives SIGHUP. The exit of the session leader would kill orphans that are still printing, so
   * only an interactive shell, which needs it, does.
   */
  hangUp: boolean;
}

/** Starts the command as a session leader without an extra process: pid, exit code and signal are the command's own. */
export function launch({ argv, cwd, env, marker, stdio, hangUp }: LaunchOptions): ChildProcess {
  const script = `${hangUp ? '' : 'trap "" HUP; '}exec "$0" -c -- "$@"`;
  const words = ['-c', script, findSetsid(), ...argv];
  const marked = { ...env, [MARKER_VARIABLE]: marker };
  // Never detached: setsid would then fork.
  return spawnTagged(marker, () => spawn('/bin/sh', words, { cwd, env: marked, stdio }));
}

/** Path of `setsid`: searched on our own PATH, because the program's may not contain it. */
export function findSetsid(): string {
  for (const folder of ['/usr/bin', '/bin', ...(process.env.PATH ?? '').split(':').filter(Boolean)]) {
    const file = path.join(folder, 'setsid');
    if (fs.existsSync(file)) return file;
  }
  throw new TachoError('PLATFORM_UNSUPPORTED', 'setsid not found', { fix: 'Install util-linux.' });
}

export function startFailure(cause: Error): TachoError {
  return new TachoError('TERMINAL_FAILED', `the command could not be started: ${cause.message}`, { cause });
}
