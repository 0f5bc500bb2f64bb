/**
 * What a reader would not see, or what would change the order of what is seen: control characters, marks of direction,
 * characters without width, tags. Joiners stay, since scripts and emoji are written with them.
 */
const UNSEEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/**
 * The same text with all of that made visible: `⟨U+202E⟩`. Output is shown, never interpreted. The signs that Unicode has
 * for control characters are in few fonts, so they are named as well.
 */
export function showUnseen(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
