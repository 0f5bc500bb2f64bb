import fs from 'node:fs';
import path from 'node:path';
import { TachoError } from '../../protocol/index.ts';
import type { ShellName } from '../../protocol/terminal/index.ts';
import { findProgram } from '../find-program.ts';
import { bash } from './bash.ts';
import { posix } from './posix.ts';
import type { ShellDialect } from './shell-dialect.ts';
import { zsh } from './zsh.ts';

export interface ChosenShell {
  argv: readonly string[];
  dialect: ShellDialect;
}

export interface ShellWish {
  /** Default: bash if available, else sh. */
  shell?: ShellName | undefined;
  environment: Record<string, string>;
  cwd: string;
}

/** The shell for a session. */
export function chooseShell({ shell, environment, cwd }: ShellWish): ChosenShell {
  const find = (program: string) => findProgram(program, { env: environment, cwd });
  const name = shell ?? (find('bash') ? 'bash' : 'sh');
  // Every system has it, independent of PATH.
  const program = name === 'sh' && !find('sh') ? '/bin/sh' : name;
  const file = find(program);
  if (!file) throw noSuchShell(name);
  const dialect = dialectOf(name, file);
  return { argv: [program, ...dialect.words], dialect };
}

/** `sh` differs by system: dash, busybox, or a shell with more features under its own name. */
function dialectOf(name: ShellName, file: string): ShellDialect {
  switch (name === 'sh' ? path.basename(fs.realpathSync(file)) : name) {
    case 'bash':
      return bash;
    case 'zsh':
      return zsh;
    default:
      return posix;
  }
}

function noSuchShell(name: ShellName): TachoError {
  return new TachoError('COMMAND_UNAVAILABLE', `there is no ${name} on the PATH of the session`, {
    facts: { program: name },
    fix: 'Install it, or open the session with another `shell`: bash, zsh or sh.',
  });
}
