import type { ShellWord } from './word.ts';

/** The options that a program may have before its operands. Others are not understood. */
export interface LeadingOptions {
  flags?: string;
  /** Letters with a value, attached or as the next word. */
  valued?: string;
  long?: readonly string[];
  longValued?: readonly string[];
}

export interface ReadOptions {
  /** Index of the first operand. */
  next: number;
  /** Options in order, with their values. */
  options: { name: string; value: string | null }[];
}

/** Reads options up to the first operand; null if a word is not literal or not listed. */
export function readLeadingOptions(words: readonly ShellWord[], spec: LeadingOptions, start = 1): ReadOptions | null {
  const options: ReadOptions['options'] = [];
  let next = start;
  while (next < words.length) {
    const { kind, value } = words[next]!;
    if (kind !== 'literal') return value.startsWith('-') || kind === 'dynamic' ? null : { next, options };
    if (value === '--') return { next: next + 1, options };
    if (!value.startsWith('-') || value === '-') break;
    const taken = value.startsWith('--') ? readLong(words, next, spec, options) : readShort(words, next, spec, options);
    if (taken === null) return null;
    next += taken;
  }
  return { next, options };
}

function readLong(
  words: readonly ShellWord[],
  at: number,
  spec: LeadingOptions,
  options: ReadOptions['options'],
): number | null {
  const [, name, value] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(words[at]!.value)!;
  if (spec.long?.includes(name!) && value === undefined) {
    options.push({ name: name!, value: null });
    return 1;
  }
  if (!spec.longValued?.includes(name!)) return null;
  if (value !== undefined) {
    options.push({ name: name!, value });
    return 1;
  }
  return takeNext(words, at, name!, options);
}

function readShort(
  words: readonly ShellWord[],
  at: number,
  spec: LeadingOptions,
  options: ReadOptions['options'],
): number | null {
  const letters = words[at]!.value.slice(1);
  for (const [index, letter] of [...letters].entries()) {
    if (spec.flags?.includes(letter)) {
      options.push({ name: letter, value: null });
      continue;
    }
    if (!spec.valued?.includes(letter)) return null;
    const attached = letters.slice(index + 1);
    if (attached === '') return takeNext(words, at, letter, options);
    options.push({ name: letter, value: attached });
    return 1;
  }
  return 1;
}

function takeNext(
  words: readonly ShellWord[],
  at: number,
  name: string,
  options: ReadOptions['options'],
): number | null {
  const word = words[at + 1];
  if (word?.kind !== 'literal') return null;
  options.push({ name, value: word.value });
  return 2;
}
