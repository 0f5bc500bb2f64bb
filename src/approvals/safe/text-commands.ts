import type { ShellWord } from '../shell/word.ts';
import { names, readArguments } from './arguments.ts';
import { readsOf, type Safety, unsafe } from './safe-command.ts';

/** Words that are only text. What is expanded in them was looked at before. */
export function printsText(): Safety {
  return readsOf([]);
}

/** Not -v and %n, which set variables. */
export function checkPrintf([format]: readonly ShellWord[]): Safety {
  const isText = format?.kind === 'literal' && !/^-./.test(format.value) && !/%[^a-zA-Z%]*n/.test(format.value);
  return isText ? readsOf([]) : unsafe('may set a variable');
}

export function checkCommandLookup([option]: readonly ShellWord[]): Safety {
  return /^-[vV]$/.test(option?.value ?? '') ? readsOf([]) : unsafe('has options that are not understood');
}

/** Not `cd` and `cd -`, which lead to other places than they name. */
export function checkCd(args: readonly ShellWord[]): Safety {
  const operands = args[0]?.value === '--' ? args.slice(1) : args;
  const [target] = operands;
  const isPlain = operands.length === 1 && target!.kind === 'literal' && !target!.value.startsWith('-');
  return isPlain ? readsOf(operands) : unsafe('changes to a folder that is not named');
}

export function checkDate(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, {
    flags: 'uR',
    valued: 'dI',
    files: names('r reference'),
    long: names('utc universal rfc-email iso-8601 rfc-3339'),
    longValued: names('date'),
  });
  if (typeof read === 'string') return unsafe(read);
  return read.operands.every(({ value }) => value.startsWith('+')) ? readsOf(read.files) : unsafe('sets the clock');
}

/** The modes of scripts: they make the shell stricter, or print what it does. */
export function checkSet(args: readonly ShellWord[]): Safety {
  const isMode = ({ kind, value }: ShellWord) =>
    kind === 'literal' && /^(?:[-+](?:[euxfC]+o?|o)|pipefail|errexit|nounset|xtrace)$/.test(value);
  return args.length > 0 && args.every(isMode) ? readsOf([]) : unsafe('changes the shell');
}

/** Not -v, which evaluates its operand; a word that is not known could be it. Files are only looked for. */
export function checkTest(args: readonly ShellWord[]): Safety {
  const known = /^(?!-)|^-$|^-(?:[bcdefghkLnOGprsSuwxzN]|eq|ne|lt|le|gt|ge|nt|ot|ef|a|o|\d+)$/;
  const isKnown = args.every(({ kind, value }) => kind === 'literal' && known.test(value));
  return isKnown ? readsOf([]) : unsafe('has a test that is not understood');
}

/** Processes without their environments, which BSD options and formats could show. */
export function checkPs(args: readonly ShellWord[]): Safety {
  const read = readArguments(args, { flags: 'AefFlxuTLjHw', valued: 'pCU', long: names('forest no-headers') });
  if (typeof read === 'string') return unsafe(read);
  return read.operands.every(({ value }) => /^[auxfw]+$/.test(value)) ? readsOf([]) : unsafe('has unknown options');
}

export function checkVersion(args: readonly ShellWord[], name: string): Safety {
  const [only] = args;
  const isVersion = only?.value === '--version' || (name === 'go' && only?.value === 'version');
  return args.length === 1 && isVersion ? readsOf([]) : unsafe('is not known to be safe');
}
