import { literalWord, type ShellWord } from '../shell/word.ts';

/** The options of a program that are known to be harmless. */
export interface KnownOptions {
  /** Letters without a value. */
  flags?: string;
  /** Letters with a value. */
  valued?: string;
  /** Names without a value, or with an attached one. */
  long?: readonly string[];
  longValued?: readonly string[];
  /** Letters and names whose value is a file to read. */
  files?: readonly string[];
  /** Every option is harmless. Their values count as operands, because it is not known which options have one. */
  any?: boolean;
  /** -5 is an option. */
  numbers?: boolean;
}

/** Names of options, from a text. */
export function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

export interface Arguments {
  operands: ShellWord[];
  /** Files named by options. */
  files: ShellWord[];
  has(name: string): boolean;
}

/** Splits the arguments into options and operands; a text says why that cannot be done with certainty. */
export function readArguments(args: readonly ShellWord[], known: KnownOptions): Arguments | string {
  const operands: ShellWord[] = [];
  const files: ShellWord[] = [];
  const given = new Set<string>();
  let ended = false;
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (word.kind === 'dynamic') return 'has an argument that is not known before';
    // A pattern may match a file whose name looks like an option.
    if (word.kind === 'glob' && !ended && !known.any && /^[-*?[]/.test(word.value)) {
      return 'has a pattern that may match a name that looks like an option; write ./ before it';
    }
    if (ended || word.kind === 'glob' || !word.value.startsWith('-') || word.value === '-') operands.push(word);
    else if (word.value === '--') ended = true;
    else {
      const option = readOption(word.value, known);
      if (!option) return `has the option ${word.value}, which is not known to be harmless`;
      for (const name of option.names) given.add(name);
      const value = option.value === undefined && option.wantsNext ? args[++at] : literal(option.value);
      // A pattern may become several words.
      if (value && value.kind !== 'literal') return `has no literal value for ${word.value}`;
      // Some options have a value only if the next word is not an option.
      if (option.value === undefined && value && /^-./.test(value.value))
        return `has ${value.value} after ${word.value}`;
      if (value && option.isFile) files.push(value);
      else if (value && known.any) operands.push(value);
    }
  }
  return { operands, files, has: (name) => given.has(name) };
}

interface Option {
  names: string[];
  value?: string | undefined;
  wantsNext: boolean;
  isFile: boolean;
}

function readOption(text: string, known: KnownOptions): Option | null {
  if (known.numbers && /^-\d+$/.test(text)) return { names: [], wantsNext: false, isFile: false };
  if (text.startsWith('--')) {
    const [, name, value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(text)!;
    const isFile = known.files?.includes(name!) ?? false;
    if (isFile || known.longValued?.includes(name!)) return { names: [name!], value, wantsNext: true, isFile };
    if (known.long?.includes(name!) || known.any) return { names: [name!], value, wantsNext: false, isFile: false };
    return null;
  }
  const letters: string[] = [];
  for (const [index, letter] of [...text.slice(1)].entries()) {
    letters.push(letter);
    const isFile = known.files?.includes(letter) ?? false;
    if (isFile || known.valued?.includes(letter)) {
      return { names: letters, value: text.slice(index + 2) || undefined, wantsNext: true, isFile };
    }
    if (known.flags?.includes(letter)) continue;
    if (!known.any) return null;
    // The rest may be the value of a letter that is not known here, such as a file.
    return { names: letters, value: text.slice(index + 2) || undefined, wantsNext: false, isFile: false };
  }
  return { names: letters, wantsNext: false, isFile: false };
}

function literal(value: string | undefined): ShellWord | undefined {
  return value === undefined ? undefined : literalWord(value);
}
