import type { Command } from 'commander';
import { listEngines } from '../../engines/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { ENGINE_WORDS } from '../launch/aliases.ts';
import { bashScript } from './bash-script.ts';
import { commandWords } from './command-words.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `tacho completion`: the script contains commands, options and engines; it asks tacho for runs and sessions. */
export function printScript(shell: string, program: Command): void {
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw new TachoError('USAGE', `unknown shell "${shell}"`, { fix: 'Use bash, zsh or fish.' });
  }
  const aliases = ENGINE_WORDS.map((name) => ({ name, description: `run ${name}` }));
  const engines = listEngines().map(({ name }) => name);
  process.stdout.write(SCRIPTS[shell as keyof typeof SCRIPTS](commandWords(program, aliases), engines));
}
