import { chooseShell } from '../shells/choose-shell.ts';
import type { SessionOptions } from './session.ts';

/** What a session runs, as people are told: a shell where nothing else was asked for. */
export function programOf(options: SessionOptions): readonly string[] {
  const { kind, argv, shell, environment } = options;
  const own = kind === 'pty' && !shell ? environment.SHELL : undefined;
  return argv ?? [own ?? chooseShell(options).argv[0]!];
}
