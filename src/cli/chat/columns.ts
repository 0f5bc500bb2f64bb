/** A character as a reader sees it: a base with its marks, a flag, joined emoji. An approximation. */
const CLUSTER =
  /\p{RI}{2}|.(?:[\p{M}\p{Emoji_Modifier}\u1160-\u11ff\u200c\u{e0020}-\u{e007f}]|\u200d\p{Extended_Pictographic}?){0,30}\ufe0f?/gsu;
const ASCII = /^[\u0020-\u007e]*$/;
const ZERO = /[\p{Mn}\p{Me}\u1160-\u11ff\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e0fff}]/u;
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const FLAG_LETTER = /\p{RI}/u;
const ASTRAL_PICTURE = /(?=[\u{1f000}-\u{1faff}])\p{Extended_Pictographic}/u;
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

function columnsOfCharacter(character: string): number {
  if (ASCII.test(character)) return 1;
  if (ZERO.test(character)) return 0;
  if (FLAG_LETTER.test(character)) return 1;
  return WIDE.test(character) || ASTRAL_PICTURE.test(character) ? 2 : 1;
}
