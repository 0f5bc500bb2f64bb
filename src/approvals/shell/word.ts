import type { Word, WordPart } from 'unbash';

/**
 * A word of a command as far as it is known before the command runs.
 * `literal`: exactly `value`. `glob`: names of files that match `value`. `dynamic`: anything, any number of words.
 */
export interface ShellWord {
  kind: 'literal' | 'glob' | 'dynamic';
  value: string;
}

export function literalWord(value: string): ShellWord {
  return { kind: 'literal', value };
}

/** A word that only the running command knows. */
export const UNKNOWN_WORD: ShellWord = { kind: 'dynamic', value: '' };

export function readWord(word: Word): ShellWord {
  // unbash leaves out the parts of a word without quotes, expansions and patterns.
  return { kind: word.parts ? kindOf(word.parts) : 'literal', value: word.value };
}

export function kindOf(parts: readonly WordPart[]): ShellWord['kind'] {
  let kind: ShellWord['kind'] = 'literal';
  for (const part of parts) {
    const found = kindOfPart(part);
    if (found === 'dynamic') return 'dynamic';
    if (found === 'glob') kind = 'glob';
  }
  return kind;
}

function kindOfPart(part: WordPart): ShellWord['kind'] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return 'literal';
    case 'DoubleQuoted':
      return kindOf(part.parts);
    case 'Glob':
      return part.parts && kindOf(part.parts) === 'dynamic' ? 'dynamic' : 'glob';
    default:
      // Expansions; and a text in $"…", which is translated.
      return 'dynamic';
  }
}
