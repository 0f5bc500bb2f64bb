/**
 * Quotes a word for any of the shells: nothing in single quotes is special, and a quote itself is written outside them.
 */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In fish, a backslash is special inside single quotes too. */
export function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
