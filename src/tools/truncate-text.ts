import { leftOutNote } from './left-out.ts';

/** A text of at most about `maxChars`: its beginning, a note of how much is missing, and its end. */
export function truncateText(text: string, maxChars: number): { text: string; truncated: boolean } {
  if (text.length <= maxChars) return { text, truncated: false };
  const head = wholeEnd(text, Math.ceil(maxChars / 2));
  const tail = wholeStart(text, text.length - Math.floor(maxChars / 2));
  const note = leftOutNote(tail - head, 'characters');
  return { text: `${text.slice(0, head)}${note}${text.slice(tail)}`, truncated: true };
}

/** The same for a text of which only the two ends are there. `omitted`: the number of bytes between them. */
export function truncateEnds(
  { head, tail, omitted }: { head: string; tail: string; omitted: number },
  maxChars: number,
): { text: string; truncated: boolean } {
  if (omitted === 0) return truncateText(head + tail, maxChars);
  const begin = head.slice(0, wholeEnd(head, Math.min(head.length, Math.ceil(maxChars / 2))));
  const end = tail.slice(wholeStart(tail, Math.max(0, tail.length - Math.floor(maxChars / 2))));
  const cut = [head.slice(begin.length), tail.slice(0, tail.length - end.length)];
  const missing = cut.reduce((sum, text) => sum + Buffer.byteLength(text), omitted);
  return { text: `${begin}${leftOutNote(missing, 'bytes')}${end}`, truncated: true };
}

/** Never between the two halves of a character, which no provider accepts. */
function wholeEnd(text: string, at: number): number {
  return at > 0 && isHighSurrogate(text, at - 1) ? at - 1 : at;
}

function wholeStart(text: string, at: number): number {
  return at > 0 && at < text.length && isHighSurrogate(text, at - 1) ? at + 1 : at;
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
}
