import { columnsOfCharacter } from '../../record/screen/character-width.ts';

/** A character as a reader sees it: a base with its marks, a flag, joined emoji. An approximation. */
const CLUSTER =
  /\p{RI}{2}|.(?:[\p{M}\p{Emoji_Modifier}\u1160-\u11ff\u200c\u{e0020}-\u{e007f}]|\u200d\p{Extended_Pictographic}?){0,30}\ufe0f?/gsu;
const ASCII = /^[\u0020-\u007e]*$/;
const EMOJI_SELECTOR = '\ufe0f';

/**
 * Columns that a text takes in a terminal. Terminals disagree about joined emoji; the sum of the parts is the maximum,
 * so a line measured with it never overflows.
 */
export function columnsOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let columns = 0;
  let last = 0;
  for (const character of text) {
    if (character === EMOJI_SELECTOR) {
      // The emoji selector makes a narrow character wide.
      if (last === 1) columns++;
      last = 0;
      continue;
    }
    last = columnsOfCharacter(character);
    columns += last;
  }
  return columns;
}

export function isAscii(text: string): boolean {
  return ASCII.test(text);
}

export function isWide(cluster: string): boolean {
  return !ASCII.test(cluster) && columnsOf(cluster) > 1;
}

export function clustersOf(text: string): string[] {
  return text.match(CLUSTER) ?? [];
}

/** The beginning of a text that fits; at least one character, so that repeated calls always make progress. */
export function takeColumns(text: string, columns: number): string {
  if (text.length <= columns && ASCII.test(text)) return text;
  let used = 0;
  let end = 0;
  for (const [cluster] of text.matchAll(CLUSTER)) {
    used += columnsOf(cluster);
    if (used > columns) break;
    end += cluster.length;
  }
  // A single cluster can be wider than any line.
  return end > 0 ? text.slice(0, end) : takeCharacters(text, columns);
}

/** Cuts text to a width and marks the cut with an ellipsis. */
export function cutToColumns(text: string, columns: number): string {
  if (takeColumns(text, columns).length === text.length) return text;
  return columns < 2 ? '…' : `${takeColumns(text, columns - 1).trimEnd()}…`;
}

function takeCharacters(text: string, columns: number): string {
  let taken = '';
  for (const [character] of text.matchAll(/.\p{M}*/gsu)) {
    if (taken !== '' && columnsOf(taken + character) > columns) break;
    taken += character;
  }
  return taken;
}
