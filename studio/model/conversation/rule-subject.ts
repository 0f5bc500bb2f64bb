import type { PolicyRule } from '../../../src/protocol/index.ts';
import { showUnseen } from '../text/unseen.ts';

/** What a rule is about, and in which words: a rule has exactly one of the three. */
export function ruleSubject({ command, tool, path }: PolicyRule): {
  kind: 'command' | 'tool' | 'path';
  words: string;
} {
  if (command) return { kind: 'command', words: quoted(command.map(wordOf).join(' ')) };
  return tool === undefined ? { kind: 'path', words: quoted(path ?? '') } : { kind: 'tool', words: quoted(tool) };
}

/** A list stands for any one of its words. */
function wordOf(word: string | readonly string[]): string {
  return typeof word === 'string' ? word : word.length === 1 ? word[0]! : `(${word.join('|')})`;
}

function quoted(text: string): string {
  return `“${showUnseen(text)}”`;
}
