/** A line of a command, cut into arguments. */
export interface Argv {
  argv: string[];
  /** The quote that is still open; null when the line is whole. */
  open: '"' | "'" | '\\' | null;
}

/**
 * Cuts a line as a shell would, without being one: blanks separate, quotes hold together, a backslash takes the next
 * character as it is. Nothing is expanded, and `|`, `>` and `$` are characters like any other.
 */
export function parseArgv(line: string): Argv {
  const argv: string[] = [];
  let current: string | null = null;
  const add = (characters: string) => {
    current = (current ?? '') + characters;
  };
  let quote: '"' | "'" | null = null;
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (quote !== null && character === quote) quote = null;
    else if (quote === "'") add(character);
    else if (character === '\\') {
      const next = line[at + 1];
      if (next === undefined) return { argv: ended(argv, current), open: '\\' };
      // Inside double quotes only these are meant by a backslash; before others it is one itself.
      add(quote === '"' && !'"\\$`\n'.includes(next) ? `\\${next}` : next);
      at++;
    } else if (quote === '"') add(character);
    else if (character === '"' || character === "'") {
      quote = character;
      add('');
    } else if (/\s/.test(character)) {
      if (current !== null) argv.push(current);
      current = null;
    } else add(character);
  }
  return { argv: ended(argv, current), open: quote };
}

function ended(argv: string[], current: string | null): string[] {
  return current === null ? argv : [...argv, current];
}
