/** A word for any of the shells: nothing in single quotes is special, and a quote is taken out of them. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In fish a backslash also counts inside single quotes. */
export function quoteForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
