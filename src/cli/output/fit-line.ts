import { stripVTControlCharacters } from 'node:util';

type Screen = Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>;

/**
 * Breaks a line between words where the terminal would break it inside of one; the next lines are indented. A word
 * longer than a line is left whole, so that paths and commands can still be copied.
 */
export function fitLine(line: string, stream: Screen, indent: number): string {
  if (!stream.isTTY || !stream.columns) return line;
  const margin = ' '.repeat(Math.min(indent, Math.floor(0.75 * stream.columns)));
  const [first = '', ...words] = line.split(' ');
  let fitted = first;
  let column = widthOf(first);
  for (const word of words) {
    const width = widthOf(word);
    if (width > 0 && column + 1 + width > stream.columns) {
      fitted = `${fitted.trimEnd()}\n${margin}${word}`;
      column = margin.length + width;
    } else {
      fitted += ` ${word}`;
      column += 1 + width;
    }
  }
  return fitted;
}

const HELP_COLUMNS = 80;

/** Help: paragraphs, and the explanation beside an example. An example itself is not broken. */
export function fitHelp(text: string, stream: Screen): string {
  const screen = { isTTY: true, columns: (stream.isTTY && stream.columns) || HELP_COLUMNS };
  return text
    .replaceAll(/(?<=^\S.*)\n(?=\S)/gm, ' ')
    .split('\n')
    .map((line) => {
      const example = /^ {2}\S.*? {2,}(?=\S)/.exec(line)?.[0];
      if (line.startsWith(' ') && example === undefined) return line;
      return fitLine(line, screen, example?.length ?? 0);
    })
    .join('\n');
}

/** Without the tables for wide characters, which would slow the start: a line that has many may be broken by the terminal. */
function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
