const ASCII = /^[\u0020-\u007e]$/;
const ZERO = /[\p{Mn}\p{Me}\u1160-\u11ff\u200b-\u200f\u2060-\u2064\ufeff\u{e0000}-\u{e0fff}]/u;
const WIDE =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const FLAG_LETTER = /\p{RI}/u;
const ASTRAL_PICTURE = /(?=[\u{1f000}-\u{1faff}])\p{Extended_Pictographic}/u;

/** Columns that a character takes in a terminal. */
export function columnsOfCharacter(character: string): 0 | 1 | 2 {
  if (ASCII.test(character)) return 1;
  if (ZERO.test(character)) return 0;
  if (FLAG_LETTER.test(character)) return 1;
  return WIDE.test(character) || ASTRAL_PICTURE.test(character) ? 2 : 1;
}
