/** Forms of a longer value, such as that of a whole file, would take more memory than they are worth. */
const MAX_CODED_LENGTH = 16_384;

/**
 * Every spelling in which a value is looked for. What programs print of a secret is often not the secret itself: a header
 * has it in base64, an address escaped, a log as JSON.
 */
export function secretForms(value: string): string[] {
  // A terminal turns LF into CR LF.
  const plain = [value, value.replaceAll(/\r?\n/g, '\r\n'), ...jsonForms(value)];
  if (value.length > MAX_CODED_LENGTH) return [...new Set(plain)];
  const bytes = Buffer.from(value);
  const forms = new Set([
    ...plain,
    ...base64Forms(bytes),
    ...urlForms(bytes),
    ...shellForms(value),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]);
  return [...forms];
}

/** A value within other bytes begins at one of three places of a group; only characters that no neighbour changes count. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const from = [0, 2, 3][before]!;
    const unchanged = encoded.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
    // The same at the end of what is encoded, where the last character is known too.
    const last = encoded.slice(from);
    return [unchanged, last, last.replaceAll('=', '')].flatMap((form) => [
      form,
      form.replaceAll('+', '-').replaceAll('/', '_'),
    ]);
  });
}

/** Characters besides letters and digits that are left as they are: by encodeURIComponent, in forms, in paths, strictly. */
const URL_SAFE = ["-_.!~*'()", '-_.*', "-_.~/!$&'()*+,;=:@", '-_.~/', '-_.~', "-_.!~*'();/?:@&=+$,#", ''];

function urlForms(bytes: Buffer): string[] {
  const escaped = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`);
  const all = URL_SAFE.map((safe) => {
    const isSafe = (byte: number) => byte < 0x80 && (isAlphanumeric(byte) || safe.includes(String.fromCharCode(byte)));
    return Array.from(bytes, (byte, at) => (isSafe(byte) ? String.fromCharCode(byte) : escaped[at]!));
  });
  return [...all, escaped].flatMap((parts) => {
    const lower = parts.join('');
    const upper = parts.map((part) => (part.length > 1 ? part.toUpperCase() : part)).join('');
    return [lower, upper, lower.replaceAll('%20', '+'), upper.replaceAll('%20', '+')];
  });
}

function isAlphanumeric(byte: number): boolean {
  return /[A-Za-z0-9]/.test(String.fromCharCode(byte));
}

/** Once and twice: as a member of an object, and of one that is kept as text in another. */
function jsonForms(value: string): string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const inAscii = (text: string) => inJson(text).replaceAll(/[\u007f-\uffff]/g, unicodeEscape);
  const once = [
    inJson(value),
    inAscii(value),
    inAscii(value).replaceAll(/\\u[0-9a-f]{4}/g, (found) => `\\u${found.slice(2).toUpperCase()}`),
    inJson(value).replaceAll('/', '\\/'),
    // Safe within HTML.
    inJson(value).replaceAll(/[<>&]/g, unicodeEscape),
  ];
  return [...once, ...once.map(inJson)];
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function shellForms(value: string): string[] {
  return [
    value.replaceAll("'", "'\\''"),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll(/["$`\\]/g, '\\$&'),
    value.replaceAll(/["$`\\!]/g, '\\$&'),
    // As printf %q does.
    value.replaceAll(/[^A-Za-z0-9_@%+=:,./\u0080-\uffff-]/g, '\\$&'),
    // $'…'
    value.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t'),
  ];
}
