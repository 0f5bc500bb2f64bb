import type { SessionOptions } from './session.ts';

/** What a session runs, as people are told: a shell where nothing else was asked for. */
export function programOf({ kind, argv, environment }: SessionOptions): readonly string[] {
  return argv ?? [kind === 'pty' ? (environment.SHELL ?? '/bin/bash') : 'bash'];
}
