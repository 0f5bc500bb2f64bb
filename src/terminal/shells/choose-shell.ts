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
  /** Not given: bash where there is one, else sh. */
  shell?: ShellName | undefined;
  environment: Record<string, string>;
  cwd: string;
}

/** The shell that a session runs. */
export function chooseShell({ shell, environment, cwd }: ShellWish): ChosenShell {
  const find = (program: string) => findProgram(program, { env: environment, cwd });
  const name = shell ?? (find('bash') ? 'bash' : 'sh');
  // Every system has that one, whatever the PATH says.
  const program = name === 'sh' && !find('sh') ? '/bin/sh' : name;
  const file = find(program);
  if (!file) throw noSuchShell(name);
  const dialect = dialectOf(name, file);
  return { argv: [program, ...dialect.words], dialect };
}

/** What `sh` is differs by system: dash, busybox, or a shell that has more to offer under its own name. */
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
