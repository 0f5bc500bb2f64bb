import type { ShellWord } from '../shell/word.ts';

/** A file or folder that a safe command reads; `deep`: the content of everything below it. */
export interface ReadUse {
  word: ShellWord;
  deep: boolean;
}

/** A command is safe if it only reads the given files and prints; otherwise there is a reason why that is not known. */
export type Safety = { safe: true; reads: ReadUse[] } | { safe: false; reason: string };

/** What a safe command may look like. */
export interface SafeCommand {
  check(args: readonly ShellWord[], name: string): Safety;
}

export function unsafe(reason: string): Safety {
  return { safe: false, reason };
}

export function readsOf(words: readonly ShellWord[], deep = false): Safety {
  return { safe: true, reads: words.map((word) => ({ word, deep })) };
}
