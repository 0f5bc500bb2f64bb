/** The beginning of a text, in memory of its own: a slice would keep all of the text that it was cut from. */
export function shortText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${Buffer.from(text.slice(0, maxChars)).toString()}…`;
}

/** The same of any value, as JSON. */
export function shortJson(value: unknown, maxChars: number): string {
  return shortText(JSON.stringify(value) ?? 'null', maxChars);
}
