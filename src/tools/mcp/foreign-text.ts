/** Control characters, marks that change the direction of text, and characters that hide text from people. */
const HIDDEN = /\p{Cc}|\p{Cf}|[\u{E0100}-\u{E01EF}]/gu;
const LONE_SURROGATE = /\p{Cs}/gu;

/** Text of a server as a model and a person see it: nothing hidden, nothing that a terminal obeys. */
export function visibleText(text: string, maxChars: number): string {
  const cut = text.length > maxChars ? `${text.slice(0, maxChars)} […]` : text;
  return wellFormed(cut)
    .replaceAll(HIDDEN, (character) => (character === '\n' || character === '\t' ? character : ''))
    .trim();
}

/** The same on one line, for messages. */
export function visibleLine(text: string, maxChars: number): string {
  return visibleText(text.slice(0, 4 * maxChars).replaceAll(/\s+/g, ' '), maxChars);
}

/** Half a character is accepted by no provider. */
export function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, '\ufffd');
}
