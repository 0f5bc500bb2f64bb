import { chooseShell } from '../shells/choose-shell.ts';
import type { SessionOptions } from './session.ts';

/** The command of a session, for display: a shell if none was given. */
export function programOf(options: SessionOptions): readonly string[] {
  const { kind, argv, shell, environment } = options;
  const own = kind === 'pty' && !shell ? environment.SHELL : undefined;
  return argv ?? [own ?? chooseShell(options).argv[0]!];
}
