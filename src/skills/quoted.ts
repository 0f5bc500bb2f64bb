/** Control characters and marks that change the direction of text: foreign text must not control a terminal or a prompt. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const MAX_QUOTED = 80;

/** Foreign text in a message: in quotes, printable and short. */
export function quoted(text: string): string {
  const short = text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
  return JSON.stringify(short).replaceAll(UNPRINTABLE, '\ufffd');
}

/** Foreign text on one line, without control characters. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(UNPRINTABLE, '\ufffd').trim();
}
