import { columnsOfCharacter } from './character-width.ts';
import type { Size } from './sequence-effect.ts';

/** The part of xterm's `Terminal` that is used here; `@xterm/headless` in Node, `@xterm/xterm` in a browser. */
export interface Terminal {
  readonly buffer: { readonly active: TerminalBuffer; readonly normal: TerminalBuffer };
  readonly unicode: {
    register(provider: {
      version: string;
      wcwidth(code: number): 0 | 1 | 2;
      charProperties(code: number, preceding: number): number;
    }): void;
    activeVersion: string;
  };
  readonly options: { scrollback?: number };
  resize(cols: number, rows: number): void;
  dispose(): void;
}

interface TerminalBuffer {
  readonly type: 'normal' | 'alternate';
  /** Number of rows above the screen. */
  readonly baseY: number;
  getLine(y: number): TerminalLine | undefined;
}

interface TerminalLine {
  readonly isWrapped: boolean;
  translateToString(trimRight?: boolean): string;
}

export interface EmulatorOptions extends Size {
  /** A bare line feed starts a new line. */
  convertEol: boolean;
  scrollback: number;
  allowProposedApi: true;
  logLevel: 'off';
}

export type OpenTerminal = (options: EmulatorOptions) => Terminal;

/** A row of the screen. */
export interface Row {
  /** Counts all rows of the normal screen since the beginning; on the alternate screen, from its top. */
  number: number;
  text: string;
  /** Whether it continues the row before. */
  isWrapped: boolean;
}

/** Rows above the screen are read after each write, which must not fill this. */
const SCROLLBACK = 4096;
export const MAX_WRITE = 2048;
/** Reading rows above the screen is cheap, removing them is not. */
const TRIM_AT = 1024;
/** Larger terminals are rendered with this size. */
const LARGEST: Size = { cols: 1000, rows: 500 };
/** After this many marks, looks for a character that collects them. */
const MARKS_PER_CHECK = 50_000;
const MAX_CHARACTER = 64;

/** A terminal without a display whose rows are read as text. */
export class Emulator {
  readonly #terminal: Terminal;
  readonly #write: (bytes: Uint8Array) => void;
  #size: Size;
  /** Rows that were removed above the screen. */
  #removed = 0;
  /** Rows above the screen that were taken and are still there. */
  #taken = 0;
  #marks = 0;
  #marksTakeSpace = false;

  constructor(open: OpenTerminal, size: Size, { bareLineFeeds }: { bareLineFeeds: boolean }) {
    this.#size = bounded(size);
    this.#terminal = open({
      ...this.#size,
      convertEol: bareLineFeeds,
      scrollback: SCROLLBACK,
      allowProposedApi: true,
      logLevel: 'off',
    });
    this.#registerWidths();
    // The public `write` is asynchronous, and would need a copy of everything that waits.
    const { _core } = this.#terminal as unknown as { _core: { writeSync(bytes: Uint8Array): void } };
    this.#write = (bytes) => _core.writeSync(bytes);
  }

  get size(): Size {
    return this.#size;
  }

  get isAlternate(): boolean {
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** Number of the first row on the normal screen. */
  get firstRow(): number {
    return this.#removed + this.#terminal.buffer.normal.baseY;
  }

  /** At most `MAX_WRITE` bytes; the rows that leave the normal screen must be taken after each write. */
  write(bytes: Uint8Array): void {
    this.#write(bytes);
    if (this.#marks > MARKS_PER_CHECK) this.#checkMarks();
  }

  /** Rows that left the normal screen at its top since the last call. */
  *takeRows(): Generator<Row> {
    const { normal } = this.#terminal.buffer;
    for (; this.#taken < normal.baseY; this.#taken++) yield this.#row(normal, this.#taken, this.#removed);
    if (this.#taken >= TRIM_AT) this.#removeTaken();
  }

  /** The rows of the screen. */
  rows(): Row[] {
    const { active } = this.#terminal.buffer;
    const removed = this.isAlternate ? 0 : this.#removed;
    return Array.from({ length: this.#size.rows }, (_, y) => this.#row(active, active.baseY + y, removed));
  }

  resize(wanted: Size): void {
    const size = bounded(wanted);
    if (size.cols === this.#size.cols && size.rows === this.#size.rows) return;
    // Rows that were taken must not come back to the screen.
    this.#removeTaken();
    this.#size = size;
    this.#terminal.resize(size.cols, size.rows);
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #row(buffer: TerminalBuffer, y: number, removed: number): Row {
    const line = buffer.getLine(y);
    const text = line?.translateToString() ?? '';
    // Blanks at the end are text only if the next row continues the line.
    const continues = buffer.getLine(y + 1)?.isWrapped ?? false;
    return { number: removed + y, text: continues ? text : text.trimEnd(), isWrapped: line?.isWrapped ?? false };
  }

  #removeTaken(): void {
    this.#removed += this.#taken;
    this.#taken = 0;
    this.#terminal.options.scrollback = 0;
    this.#terminal.options.scrollback = SCROLLBACK;
  }

  /** The widths of xterm.js are those of Unicode 6, in which emoji are narrow. */
  #registerWidths(): void {
    const widths = new Uint8Array(0x20000);
    const wcwidth = (code: number): 0 | 1 | 2 => {
      if (code < 0x300) return code < 0x20 || (code >= 0x7f && code < 0xa0) ? 0 : 1;
      const known = widths[code];
      if (known !== undefined && known > 0) return (known - 1) as 0 | 1 | 2;
      const width = columnsOfCharacter(String.fromCodePoint(code));
      if (code < widths.length) widths[code] = width + 1;
      return width;
    };
    const charProperties = (code: number, preceding: number): number => {
      const width = wcwidth(code);
      if (width > 0) return properties(width, false);
      this.#marks++;
      const precedingWidth = (preceding >> 1) & 3;
      if (precedingWidth === 0) return properties(0, false);
      return this.#marksTakeSpace ? properties(1, false) : properties(precedingWidth, true);
    };
    this.#terminal.unicode.register({ version: 'tacho', wcwidth, charProperties });
    this.#terminal.unicode.activeVersion = 'tacho';
  }

  /** A program may put millions of marks on one character, which would grow without end. */
  #checkMarks(): void {
    this.#marks = 0;
    const { cols } = this.#size;
    this.#marksTakeSpace ||= this.rows().some(({ text }) => text.length > cols * 2 + MAX_CHARACTER);
  }
}

/** As xterm encodes them: width and whether the character joins the one before. */
function properties(width: number, joins: boolean): number {
  return (width << 1) | (joins ? 1 : 0);
}

function bounded({ cols, rows }: Size): Size {
  return {
    cols: Math.min(Math.max(2, cols || 80), LARGEST.cols),
    rows: Math.min(Math.max(1, rows || 24), LARGEST.rows),
  };
}
