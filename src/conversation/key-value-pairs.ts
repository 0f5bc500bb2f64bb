/** Below this depth only the shape is shown; it also bounds a structure that contains itself. */
const MAX_DEPTH = 3;

/**
 * A value as compact `key: value` pairs, for a person. Ends soon after `length` characters: the value can be a whole file,
 * and what does not fit is not shown anyway.
 */
export function keyValuePairs(value: unknown, length: number): string {
  if (value === null) return '';
  if (typeof value !== 'object') return showValue(value, length);
  return Array.isArray(value) ? listed(value, length, 0) : pairs(value, length, 0);
}

/** One value; '' for none. */
function showValue(value: unknown, length: number, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return value.slice(0, length + 1);
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      if (depth >= MAX_DEPTH) return '…';
      return Array.isArray(value) ? `[${listed(value, length, depth)}]` : `{${pairs(value, length, depth)}}`;
    default:
      return ''; // Not data.
  }
}

function pairs(value: object, length: number, depth: number): string {
  let text = '';
  for (const [key, entry] of Object.entries(value)) {
    if (entry === undefined) continue;
    text += `${text && ', '}${key.slice(0, length)}: ${showValue(entry, length, depth + 1)}`;
    if (text.length > length) break;
  }
  return text;
}

function listed(values: readonly unknown[], length: number, depth: number): string {
  let text = '';
  for (const entry of values) {
    text += `${text && ', '}${showValue(entry, length, depth + 1)}`;
    if (text.length > length) break;
  }
  return text;
}
