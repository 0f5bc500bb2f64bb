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
  /** The terminals for stdin, stdout and stderr, of which the first becomes the controlling one; then what else is passed. */
  stdio: number[];
  /**
   * Whether the program hears of a hang-up. The session leader's exit would kill orphans that are still printing, so
   * only a person's shell, which needs it, does.
   */
  hangUp: boolean;
}

/** Starts the command as leader of a session of its own, in place: pid, exit code and signal are the command's. */
export function launch({ argv, cwd, env, marker, stdio, hangUp }: LaunchOptions): ChildProcess {
  const script = `${hangUp ? '' : 'trap "" HUP; '}exec "$0" -c -- "$@"`;
  const words = ['-c', script, findSetsid(), ...argv];
  const marked = { ...env, [MARKER_VARIABLE]: marker };
  // Never detached: setsid would then fork.
  return spawnTagged(marker, () => spawn('/bin/sh', words, { cwd, env: marked, stdio }));
}

/** Where `setsid` is: looked for on our own PATH, because the program's need not have it. */
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
