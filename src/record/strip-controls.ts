const ESCAPE = '\u001b';
const BELL = '\u0007';
/** Both cancel the sequence in which they appear. */
const CANCEL = /[\u0018\u001a]/;
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * Removes control characters (except LF and tab) and escape sequences from a text that comes in pieces, with a
 * terminal's rules: `ESC [ … final`, `ESC ] … BEL` or `ESC \` and the other strings, and the short ones.
 */
export function createStripper(): (text: string) => string {
  let state: 'text' | 'escape' | 'sequence' | 'string' = 'text';

  /** True if the character is visible. */
  function take(character: string): boolean {
    if (state === 'string' && character !== ESCAPE) {
      if (character === BELL || CANCEL.test(character)) state = 'text';
      return false;
    }
    if (CONTROL.test(character)) {
      if (character === ESCAPE) state = 'escape';
      else if (CANCEL.test(character)) state = 'text';
      return character === '\n' || character === '\t';
    }
    if (state === 'text') return true;
    if (character > '~') {
      state = 'text'; // No sequence contains such a character, so it was not one.
      return true;
    }
    if (state === 'escape' && character === '[') state = 'sequence';
    else if (state === 'escape' && ']PX^_'.includes(character)) state = 'string';
    else if (character >= (state === 'sequence' ? '@' : '0')) state = 'text';
    return false;
  }

  return (text) => {
    let shown = '';
    for (const character of text) if (take(character)) shown += character;
    return shown;
  };
}
