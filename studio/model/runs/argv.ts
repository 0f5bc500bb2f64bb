/** A command line, split into arguments. */
export interface Argv {
  argv: string[];
  /** The quote that is still open; null if the line is complete. */
  open: '"' | "'" | '\\' | null;
}

/**
 * Splits a line like a shell, without being one: spaces separate, quotes group, a backslash escapes the next character.
 * Nothing is expanded, and `|`, `>` and `$` are ordinary characters.
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
      // In double quotes a backslash escapes only these; before others it is literal.
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
