/** A value for display: a text unchanged, an object line by line, keeping line breaks in its texts. */
export function readable(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isObject(value)) return JSON.stringify(value, null, 2) ?? String(value);
  return Object.entries(value)
    .map(([name, field]) => `${name}: ${indented(readableField(field))}`)
    .join('\n');
}

function readableField(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? String(value));
}

function indented(text: string): string {
  return text.includes('\n') ? `\n  ${text.replaceAll('\n', '\n  ')}` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
