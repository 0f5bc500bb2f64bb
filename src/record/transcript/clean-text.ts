import { createStripper } from '../strip-controls.ts';

/** Control characters that a page would hide, and those that change the text direction. */
const UNSEEN = /[\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** Readable text: without control sequences, and with overwritten lines in their final state. */
export function cleanText(text: string): string {
  const lines = text.split('\n').map((line) => {
    const whole = line.replace(/\r+$/, '');
    return whole.slice(whole.lastIndexOf('\r') + 1);
  });
  return createStripper()(lines.join('\n')).replaceAll(UNSEEN, '\ufffd');
}

export interface TextLimits {
  lines: number;
  characters: number;
}

/** The beginning of a long text, with a note about what is left out. */
export function cutText(text: string, { lines, characters }: TextLimits): { text: string; note: string } {
  const all = text.replace(/\n+$/, '').split('\n');
  const kept = all.slice(0, lines).join('\n').slice(0, characters);
  const left = all.length - kept.split('\n').length;
  if (left > 0) return { text: kept, note: `… ${left} more ${left === 1 ? 'line' : 'lines'}` };
  return { text: kept, note: kept.length < all.join('\n').length ? '… cut here' : '' };
}
