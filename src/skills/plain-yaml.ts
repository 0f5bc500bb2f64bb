const KEY = /^[A-Za-z][\w-]*$/;
/** Begins with a letter, so it is neither a number nor a special form. No control characters or unusual line ends. */
const PLAIN = /^[A-Za-z][\x20-\x7e\u00a1-\u1fff\u3000-\ud7ff]*$/;
const QUOTED = /^"[\x20\x21\x23-\x5b\x5d-\x7e\u00a1-\u1fff\u3000-\ud7ff]*"$/;
const NOT_TEXT = /^(?:null|true|false)$/i;
const INDENT = '  ';

/**
 * Reads the YAML that most skills have, `key: text` and maps of such lines, many times faster than the library. Null for
 * everything else, which the library then reads; where it answers, it answers the same.
 */
export function parsePlainYaml(yaml: string): Record<string, unknown> | null {
  const fields: Record<string, unknown> = {};
  let inner: Record<string, unknown> | null = null;
  const end = yaml.endsWith('\n') ? yaml.length - 1 : yaml.length;
  for (let at = 0; at <= end; ) {
    const newline = yaml.indexOf('\n', at);
    const lineEnd = newline < 0 || newline > end ? end : newline;
    const isInner = yaml.startsWith(INDENT, at);
    const start = isInner ? at + INDENT.length : at;
    const colon = yaml.indexOf(':', start);
    if (colon < 0 || colon >= lineEnd + 1) return null;
    const key = yaml.slice(start, colon);
    const target: Record<string, unknown> | null = isInner ? inner : fields;
    if (target === null || !KEY.test(key) || NOT_TEXT.test(key) || Object.hasOwn(target, key)) return null;
    if (colon + 1 === lineEnd) {
      // A map follows, because a key without a value would be null.
      if (isInner || !yaml.startsWith(INDENT, lineEnd + 1)) return null;
      inner = {};
      fields[key] = inner;
    } else {
      const text = yaml.charCodeAt(colon + 1) === 0x20 ? readText(yaml.slice(colon + 2, lineEnd)) : null;
      if (text === null) return null;
      if (!isInner) inner = null;
      target[key] = text;
    }
    at = lineEnd + 1;
  }
  return fields;
}

function readText(text: string): string | null {
  if (text.charCodeAt(0) === 0x22) return QUOTED.test(text) ? text.slice(1, -1) : null;
  if (!PLAIN.test(text) || text.endsWith(' ') || text.endsWith(':')) return null;
  return text.includes(': ') || text.includes(' #') || (text.length <= 5 && NOT_TEXT.test(text)) ? null : text;
}
