const ESCAPES: Record<string, string> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/**
 * A name, as a latin1 string of its bytes, in git's patch format: quoted like a C string if it has a quote, a
 * backslash, a control character or a byte above 127.
 */
export function quoteName(name: string): string {
  if (/^[ !#-[\]-~]*$/.test(name)) return name;
  const escaped = name.replaceAll(
    /[^ !#-[\]-~]/g,
    (byte) => ESCAPES[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}
