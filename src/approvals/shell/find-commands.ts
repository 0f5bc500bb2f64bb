import { literalWord, type ShellWord } from './word.ts';

const RUN = new Set(['-exec', '-execdir', '-ok', '-okdir']);

export interface FindCommand {
  words: ShellWord[];
  /** Runs in the folder of each file, not in that of find. */
  inFileFolder: boolean;
}

/** Where a search begins: the words before the first test. */
export function findRoots(words: readonly ShellWord[]): ShellWord[] {
  const roots: ShellWord[] = [];
  for (const word of words.slice(1)) {
    if (roots.length === 0 && /^-[HLP]$/.test(word.value)) continue;
    if (/^[-(!,]/.test(word.value)) break;
    roots.push(word);
  }
  return roots;
}

/** The commands that `find` starts. `{}` in them is a path below a root. */
export function findCommands(words: readonly ShellWord[]): FindCommand[] {
  const roots = findRoots(words);
  const found: FindCommand[] = [];
  for (let at = 1; at < words.length; at++) {
    if (!RUN.has(words[at]!.value)) continue;
    const end = endOfCommand(words, at + 1);
    const inFileFolder = words[at]!.value.endsWith('dir');
    const place = inFileFolder || roots.length > 1 ? null : (roots[0] ?? literalWord('.'));
    found.push({ words: words.slice(at + 1, end).map((word) => fillIn(word, place)), inFileFolder });
    at = end;
  }
  return found.filter(({ words: inner }) => inner.length > 0);
}

export function endOfCommand(words: readonly ShellWord[], start: number): number {
  for (let at = start; at < words.length; at++) {
    if (words[at]!.value === ';' || (words[at]!.value === '+' && words[at - 1]!.value === '{}')) return at;
  }
  return words.length;
}

function fillIn(word: ShellWord, root: ShellWord | null): ShellWord {
  if (!word.value.includes('{}')) return word;
  if (word.value === '{}' && root?.kind === 'literal') return literalWord(`${root.value}/{}`);
  return { ...word, kind: 'dynamic' };
}
