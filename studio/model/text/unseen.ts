/**
 * Invisible characters, and those that change the text order: control characters, direction marks, zero-width
 * characters, tags. Joiners stay, because scripts and emoji need them.
 */
const UNSEEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;

/**
 * Makes all of them visible: `⟨U+202E⟩`. Output is shown, never interpreted. Few fonts have Unicode's symbols for
 * control characters, so those are shown by code as well.
 */
export function showUnseen(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(UNSEEN, (character) => {
    const code = character.codePointAt(0)!;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}
