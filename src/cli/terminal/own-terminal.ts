import { changeModes } from '../../terminal/libc.ts';
import { writeOut } from '../output/write-out.ts';
import { TerminalModes } from './terminal-modes.ts';

export interface OwnTerminalOptions {
  onKeys(keys: Buffer): void;
  onResize(size: { cols: number; rows: number }): void;
  /** Only looks: no key goes on, and Ctrl-C leaves too. */
  readOnly: boolean;
}

/**
 * Ctrl-], as telnet has it: hardly any program wants it for itself. Also as a terminal sends it in which the program
 * has asked for keys with their modifiers.
 */
const LEAVE = /\x1d|\x1b\[93;5(?::1)?u|\x1b\[27;5;93~/;
const LEAVE_LOOKING = new RegExp(`${LEAVE.source}|\x03`);
const OTHER_SCREEN = '\x1b[?1049h';
const LEAVE_OTHER_SCREEN = '\x1b[?1049l';
const OPOST = 0o1;

/** The terminal a person sits at, while it shows another one: each key and each byte goes through as it is. */
export class OwnTerminal {
  /** The person wants to leave. */
  readonly left: Promise<void>;
  /** A key was pressed. */
  readonly firstKey: Promise<void>;
  readonly #modes = new TerminalModes();
  readonly #undo: (() => void)[] = [];
  #drawn = false;

  /** Null when nobody sits there. */
  static take(options: OwnTerminalOptions): OwnTerminal | null {
    return process.stdin.isTTY && process.stdout.isTTY ? new OwnTerminal(options) : null;
  }

  private constructor({ onKeys, onResize, readOnly }: OwnTerminalOptions) {
    const { stdin, stdout } = process;
    stdin.setRawMode(true);
    this.#undo.push(() => stdin.setRawMode(false));
    // Node's raw mode still makes a new line of every line feed, and a program may mean no more than one row down.
    changeModes(stdin.fd, { clear: { output: OPOST } });
    const resized = () => onResize({ cols: stdout.columns, rows: stdout.rows });
    stdout.on('resize', resized);
    this.#undo.push(() => stdout.off('resize', resized));
    resized();
    const leave = readOnly ? LEAVE_LOOKING : LEAVE;
    this.firstKey = new Promise((resolve) => stdin.once('data', () => resolve()));
    this.left = new Promise((resolve) => {
      stdin.on('data', (bytes: Buffer) => {
        const at = bytes.toString('latin1').search(leave);
        const keys = at < 0 ? bytes : bytes.subarray(0, at);
        if (keys.length > 0 && !readOnly) onKeys(keys);
        if (at >= 0) resolve();
      });
    });
  }

  /** Draws a screen from its first row on. What stood there before can be scrolled back to. */
  async draw(screen: string): Promise<void> {
    const other = screen.startsWith(OTHER_SCREEN);
    if (!this.#drawn && !other) await writeOut(process.stdout, '\r\n'.repeat(process.stdout.rows));
    this.#drawn = true;
    // That it was left was among the bytes that are gone.
    const back = this.#modes.onOtherScreen && !other ? LEAVE_OTHER_SCREEN : '';
    await this.show(back + screen);
  }

  async show(bytes: Buffer | string): Promise<void> {
    if (this.#undo.length === 0) return; // It was given back.
    this.#modes.pass(bytes);
    await writeOut(process.stdout, bytes);
  }

  /** Gives the terminal back as it was, with the cursor below what was shown. */
  restore(): void {
    process.stdout.write(`${this.#modes.reset()}\r\n\x1b[J`);
    for (const undo of this.#undo.splice(0).reverse()) undo();
  }
}
