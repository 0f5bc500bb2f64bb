/** Shorter texts are escaped again faster than their JSON is found. */
const LONG_TEXT = 1024;
const BLANKS: ReadonlySet<string | undefined> = new Set([' ', '\t', '\r', '\n']);

/**
 * The JSON, with its quotes, of a long text that was read from a member `name` of some object in `line`, which is JSON.
 * Null for a short text, and when the line leaves any doubt which text is meant: it has several members of that name, or
 * a name might be spelled in another way.
 */
export function printedText(line: string, name: string, text: unknown): string | null {
  if (typeof text !== 'string' || text.length < LONG_TEXT) return null;
  const quoted = `"${name}"`;
  let found: { from: number; to: number } | null = null;
  let next = 0;
  for (let at = line.indexOf(quoted); at >= 0; at = line.indexOf(quoted, next)) {
    next = at + quoted.length;
    // Quotes inside of a text are escaped, so this is a whole text, or the end of one with an escaped quote in it.
    if (line[at - 1] === '\\') continue;
    if (BLANKS.has(line[next]) || BLANKS.has(line[next + 1])) return null;
    if (line[next] !== ':' || line[next + 1] !== '"') continue;
    if (found !== null) return null;
    found = { from: next + 1, to: endOfText(line, next + 2) };
    next = found.to;
  }
  if (found === null || hasEscapedLetter(line.slice(0, found.from)) || hasEscapedLetter(line.slice(found.to)))
    return null;
  return line.slice(found.from, found.to);
}

/** The place after the quote that ends a text. */
function endOfText(line: string, from: number): number {
  let end = line.indexOf('"', from);
  while (isEscaped(line, end)) end = line.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(line: string, at: number): boolean {
  let backslashes = 0;
  while (line[at - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

/** Only so can the letters of a name be spelled in another way. */
function hasEscapedLetter(json: string): boolean {
  return json.includes('\\u');
}
