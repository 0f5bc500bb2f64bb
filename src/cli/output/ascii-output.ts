type Write = NodeJS.WriteStream['write'];

/** Replacements of the same width, so that lines keep their width. */
const SIGNS: Readonly<Record<string, string>> = {
  '✔': '+',
  '✖': 'x',
  '◼': '#',
  '●': '*',
  '◐': '!',
  '⚙': '*',
  '✻': '*',
  '↻': '~',
  '☑': '+',
  '☒': 'x',
  '☐': 'o',
  '▸': '>',
  '›': '>',
  '‹': '<',
  '→': '>',
  '←': '<',
  '│': '|',
  '·': '-',
  '–': '-',
  '×': 'x',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '\ufffd': '?',
};
const ELLIPSIS = '...';
/** Characters that tacho itself prints: the signs above, a spinner, and control pictures. */
const OTHERS = /[…✔✖◼●◐⚙✻↻☑☒☐▸›‹→←│·–×’‘“”\ufffd\u2400-\u241f\u2800-\u28ff]/g;
const SPINNER = '|/-\\';

/** Replaces tacho's own signs with ASCII. Other characters are not ours and stay. */
export function asciiSigns(text: string): string {
  return text.replaceAll(OTHERS, (sign) => {
    if (sign === '…') return ELLIPSIS;
    const code = sign.charCodeAt(0);
    return SIGNS[sign] ?? (code >= 0x2800 ? SPINNER[code % SPINNER.length]! : '?');
  });
}

/** The write function that replaces signs, by stream. */
const writeOf = new WeakMap<NodeJS.WriteStream, Write>();

/** Replaces signs in all text written to the stream from now on. Bytes are a program's output and pass unchanged. */
export function writeAsciiSigns(stream: NodeJS.WriteStream): void {
  if (writeOf.get(stream) === stream.write) return;
  const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
  const ascii = ((chunk: string | Uint8Array, ...more: unknown[]) =>
    write(typeof chunk === 'string' ? asciiSigns(chunk) : chunk, ...more)) as Write;
  writeOf.set(stream, ascii);
  stream.write = ascii;
}
