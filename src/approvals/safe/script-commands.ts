import type { ShellWord } from '../shell/word.ts';
import { names, readArguments } from './arguments.ts';
import { readsOf, type Safety, unsafe } from './safe-command.ts';

const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`;
const SUBSTITUTION = String.raw`s([/|,#])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpiI0-9]*`;
const SED_COMMAND = new RegExp(
  `^\\s*(?:${ADDRESS}(?:,(?:\\+|~)?${ADDRESS})?\\s*)?!?\\s*(?:[pdqlD=]|q\\d+|${SUBSTITUTION})\\s*$`,
);

export function checkSed(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'nErsuz',
    long: names(`
      quiet silent regexp-extended separate unbuffered null-data sandbox posix
    `),
  });
  if (typeof read === 'string') return unsafe(read);
  return scripted(read.operands, isSafeSed, 'a script that may write files or run commands');
}

export function checkAwk(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    valued: 'Fv',
    longValued: names('field-separator assign'),
    long: names('posix sandbox'),
  });
  if (typeof read === 'string') return unsafe(read);
  return scripted(read.operands, isSafeAwk, 'a program that may write files or run commands');
}

export function checkJq(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'ncrjaSCMesR',
    long: names(`
      null-input compact-output raw-output join-output ascii-output sort-keys color-output monochrome-output
      exit-status slurp raw-input tab unbuffered stream
    `),
    longValued: names('indent'),
  });
  if (typeof read === 'string') return unsafe(read);
  return scripted(read.operands, isSafeJq, 'a filter that may read other files or variables');
}

/** The first operand is a program of its own kind. */
function scripted(
  [script, ...files]: readonly ShellWord[],
  isSafe: (text: string) => boolean,
  otherwise: string,
): Safety {
  return script?.kind === 'literal' && isSafe(script.value) ? readsOf(files) : unsafe(`has ${otherwise}`);
}

/** Prints, deletes and substitutes, and nothing that writes a file (w) or runs a command (e). */
function isSafeSed(script: string): boolean {
  // A semicolon inside of a pattern makes the parts look odd, and then the script counts as unsafe.
  return !script.includes('\n') && script.split(';').every((part) => SED_COMMAND.test(part));
}

/** No pipes, redirections, functions that start programs, variables of the environment, or other files. */
function isSafeAwk(program: string): boolean {
  return !/[|>@]|\b(?:system|getline|close|fflush|ENVIRON|ARGV|ARGC|PROCINFO|nextfile|extension|load)\b/.test(
    program.replaceAll('||', ' '),
  );
}

/** No variables of the environment and no modules. */
function isSafeJq(filter: string): boolean {
  return !/\b(?:env|import|include|input_filename|modulemeta|get_search_list|debug|stderr|halt_error)\b|\$ENV/.test(
    filter,
  );
}
