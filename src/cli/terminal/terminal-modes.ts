/** Modes that are on by default: line wrap, visible cursor. */
const ON_AT_FIRST: ReadonlySet<string> = new Set(['7', '25']);
/** Reset last: they restore the main screen. */
const OTHER_SCREEN: readonly string[] = ['47', '1047', '1049'];

/** Private modes, keyboard protocol, key modifiers, cursor shape, scroll region, line drawing, keypad. */
const SEQUENCE =
  /(?:\x1b\[|\xc2?\x9b)(?:\?([\d;]+)([hl])|([<>=])(\d*)(?:;\d+)?u|>4(;\d+)?m|(\d*) q|\d*(?:;\d+)?r)|\x1b(?:\(([0AB])|[=>])/g;
const MAX_SEQUENCE_LENGTH = 64;

/**
 * Output that passes through to a terminal changes its modes. When the output stops midway, while the program continues
 * elsewhere, these modes have to be reset here.
 */
export class TerminalModes {
  readonly #changed = new Set<string>();
  readonly #undo = new Set<string>();
  #keyboardLevels = 0;
  #rest = '';

  /** Tracks the bytes; a sequence may be split between two calls. */
  pass(bytes: Buffer | string): void {
    const text = this.#rest + (typeof bytes === 'string' ? bytes : bytes.toString('latin1'));
    let end = 0;
    for (const match of text.matchAll(SEQUENCE)) {
      this.#note(match);
      end = match.index + match[0].length;
    }
    const rest = text.slice(Math.max(end, text.lastIndexOf('\x1b'), text.lastIndexOf('\x9b') - 1));
    this.#rest = /^.?[\x1b\x9b]/s.test(rest) && rest.length < MAX_SEQUENCE_LENGTH ? rest : '';
  }

  get onOtherScreen(): boolean {
    return OTHER_SCREEN.some((mode) => this.#changed.has(mode));
  }

  /** The bytes that reset all changed modes. */
  reset(): string {
    const inOrder = [...this.#changed].sort((a, b) => OTHER_SCREEN.indexOf(a) - OTHER_SCREEN.indexOf(b));
    const modes = inOrder.map((mode) => `\x1b[?${mode}${ON_AT_FIRST.has(mode) ? 'h' : 'l'}`);
    const keyboard = this.#keyboardLevels > 0 ? `\x1b[<${this.#keyboardLevels}u` : '';
    return `\x1b[0m${[...this.#undo].join('')}${keyboard}${modes.join('')}`;
  }

  /** The same, but empty when the program restored everything itself. */
  resetChanged(): string {
    return this.#changed.size + this.#undo.size + this.#keyboardLevels === 0 ? '' : this.reset();
  }

  #note([sequence, modes, switched, level, count, withModifiers, shape, letters]: RegExpMatchArray): void {
    if (modes !== undefined) {
      for (const mode of modes.split(';')) {
        if ((switched === 'h') === ON_AT_FIRST.has(mode)) this.#changed.delete(mode);
        else this.#changed.add(mode);
      }
    } else if (level === '=') this.#set('\x1b[=0u', Number(count) !== 0);
    else if (level !== undefined) {
      const levels = level === '>' ? 1 : -(Number(count) || 1);
      this.#keyboardLevels = Math.max(0, this.#keyboardLevels + levels);
    } else if (sequence.endsWith('m')) this.#set('\x1b[>4m', withModifiers !== undefined && withModifiers !== ';0');
    else if (sequence.endsWith('q')) this.#set('\x1b[0 q', shape !== '' && shape !== '0');
    else if (letters !== undefined) this.#set('\x1b(B', letters === '0');
    // Setting the scroll region moves the cursor, so it is saved and restored.
    else if (sequence.endsWith('r')) this.#set('\x1b7\x1b[r\x1b8', !/[[\x9b]r$/.test(sequence));
    else this.#set('\x1b>', sequence === '\x1b=');
  }

  #set(undo: string, on: boolean): void {
    if (on) this.#undo.add(undo);
    else this.#undo.delete(undo);
  }
}
