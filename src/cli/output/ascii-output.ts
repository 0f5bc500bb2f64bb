type Write = NodeJS.WriteStream['write'];

/** One column for one column, so that lines keep their width. */
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
/** Ours are the signs above, a spinner, and pictures of control characters. */
const OTHERS = /[…✔✖◼●◐⚙✻↻☑☒☐▸›‹→←│·–×’‘“”\ufffd\u2400-\u241f\u2800-\u28ff]/g;
const SPINNER = '|/-\\';

/** The signs that tacho puts into its own text, in ASCII. Other characters stay: they are somebody else's. */
export function asciiSigns(text: string): string {
  return text.replaceAll(OTHERS, (sign) => {
    if (sign === '…') return ELLIPSIS;
    const code = sign.charCodeAt(0);
    return SIGNS[sign] ?? (code >= 0x2800 ? SPINNER[code % SPINNER.length]! : '?');
  });
}

/** How each stream is written to with ASCII signs. */
const writeOf = new WeakMap<NodeJS.WriteStream, Write>();

/** From now on text on the stream has ASCII signs. Bytes are what a program printed, and pass as they are. */
export function writeAsciiSigns(stream: NodeJS.WriteStream): void {
  if (writeOf.get(stream) === stream.write) return;
  const write = stream.write.bind(stream) as (...parts: unknown[]) => boolean;
  const ascii = ((chunk: string | Uint8Array, ...more: unknown[]) =>
    write(typeof chunk === 'string' ? asciiSigns(chunk) : chunk, ...more)) as Write;
  writeOf.set(stream, ascii);
  stream.write = ascii;
}
