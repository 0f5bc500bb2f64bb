import type { ShellWord } from '../shell/word.ts';

const MAX_CHARS = 80;

/** A command as it is named in a reason. */
export function shownWords(words: readonly ShellWord[]): string {
  const text = words.map(({ value }) => value).join(' ');
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
