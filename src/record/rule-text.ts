import type { PolicyRule } from '../protocol/index.ts';

const ACCESS = { read: 'reading', write: 'changing', any: 'reading and changing' } as const;

/** What a rule of a policy covers, in one line for people, such as: commands that begin with "npm test". */
export function ruleText({ command, tool, path, access = 'any' }: PolicyRule): string {
  if (command) return `commands that begin with ${quoted(command.map(wordText).join(' '))}`;
  if (tool !== undefined) return `calls of the tool ${quoted(tool)}`;
  return `${ACCESS[access]} ${quoted(path ?? '')}`;
}

function wordText(word: string | readonly string[]): string {
  return typeof word === 'string' ? word : word.length === 1 ? word[0]! : `(${word.join('|')})`;
}

/** A command of a model may have any characters; those that could hide something are shown by their codes. */
function quoted(text: string): string {
  return `"${text.replaceAll(/[^\P{C}]|[^\P{Z} ]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)}"`;
}
