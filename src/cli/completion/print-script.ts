import type { Command } from 'commander';
import { ENGINE_NAMES, TachoError } from '../../protocol/index.ts';
import { engineNames } from '../../runs/index.ts';
import { openContext } from '../context.ts';
import { ENGINE_WORDS } from '../launch/aliases.ts';
import { bashScript } from './bash-script.ts';
import { commandWords } from './command-words.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `tacho completion`: the script contains commands, options and engines; it asks tacho for runs, sessions and skills. */
export function printScript(shell: string, program: Command): void {
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw new TachoError('USAGE', `unknown shell "${shell}"`, { fix: 'Use bash, zsh or fish.' });
  }
  const engines = enginesHere();
  const defined = engines.filter((name) => !ENGINE_NAMES.some((own) => own === name));
  const aliases = [...ENGINE_WORDS, ...defined].map((name) => ({ name, description: `run ${name}` }));
  process.stdout.write(SCRIPTS[shell as keyof typeof SCRIPTS](commandWords(program, aliases), engines));
}

/** With those that the configuration defines; shells run this when they start, so a mistake in it is not reported here. */
function enginesHere(): readonly string[] {
  try {
    return engineNames(openContext({ quiet: true }));
  } catch {
    return ENGINE_NAMES;
  }
}
