import { readProcessStat } from '../../files/index.ts';
import type { AnsweringTerminal } from '../../runtime/answering-terminal.ts';
import { changeModes } from '../../terminal/libc.ts';
import { QueryFilter } from '../../terminal/safe-output/query-filter.ts';
import { writeLive } from '../output/guarded-terminal.ts';
import { TerminalModes } from './terminal-modes.ts';

export interface OwnTerminalOptions {
  /** `run`: every key goes on. `attach`: Ctrl-] leaves. `look`: so does Ctrl-C, and no key goes on. */
  use: 'run' | 'attach' | 'look';
  onKeys(keys: Buffer): void;
  onResize(size: { cols: number; rows: number }): void;
  /** Answers in place of this terminal; without it nothing that is asked gets an answer. */
  answering?: AnsweringTerminal | null;
}

/**
 * Ctrl-], as telnet has it: hardly any program wants it for itself. Also as a terminal sends it in which the program
 * has asked for keys with their modifiers.
 */
const LEAVE = /\x1d|\x1b\[93;5(?::1)?u|\x1b\[27;5;93~/;
const LEAVING_KEYS = { run: null, attach: LEAVE, look: new RegExp(`${LEAVE.source}|\x03`) };
const OTHER_SCREEN = '\x1b[?1049h';
const LEAVE_OTHER_SCREEN = '\x1b[?1049l';
const OPOST = 0o1;

/**
 * The terminal a person sits at, while it shows another one. Each key and each byte goes through as it is, but for what
 * would make the terminal answer: that goes only to a program that has it for its own.
 */
export class OwnTerminal {
  /** The person wants to leave. */
  readonly left: Promise<void>;
  /** A key was pressed. */
  readonly firstKey: Promise<void>;
  /** Keys are taken; without them nothing can be typed or left here. */
  readonly keyboard = OwnTerminal.hasKeyboard();
  readonly #use: OwnTerminalOptions['use'];
  readonly #modes = new TerminalModes();
  readonly #filter = new QueryFilter();
  readonly #answering: AnsweringTerminal | null;
  readonly #undo: (() => void)[] = [];
  #drawn = false;

  /** True when keys can be taken here: a person is at the keyboard, and this is not a background job. */
  static hasKeyboard(): boolean {
    return Boolean(process.stdin.isTTY) && inForeground();
  }

  /** Null when there is no terminal to show anything on. */
  static take(options: OwnTerminalOptions): OwnTerminal | null {
    const typedOnly = options.use === 'run' && OwnTerminal.hasKeyboard();
    return process.stdout.isTTY || typedOnly ? new OwnTerminal(options) : null;
  }

  private constructor({ use, onKeys, onResize, answering }: OwnTerminalOptions) {
    const { stdin, stdout } = process;
    this.#use = use;
    this.#answering = answering ?? null;
    // Also when this process fails: the terminal stays behind, and its user has to go on working in it.
    const restore = () => this.restore();
    process.on('exit', restore);
    this.#undo.push(() => process.off('exit', restore));
    if (this.keyboard) this.#takeKeyboard();
    const resized = () => {
      answering?.resize(stdout.columns, stdout.rows);
      onResize({ cols: stdout.columns, rows: stdout.rows });
    };
    stdout.on('resize', resized);
    this.#undo.push(() => stdout.off('resize', resized));
    const leavingKeys = LEAVING_KEYS[use];
    this.firstKey = new Promise((resolve) => this.keyboard && stdin.once('data', () => resolve()));
    this.left = new Promise((resolve) => {
      if (!this.keyboard) return;
      stdin.on('data', (bytes: Buffer) => {
        const at = leavingKeys === null ? -1 : bytes.toString('latin1').search(leavingKeys);
        const keys = at < 0 ? bytes : bytes.subarray(0, at);
        if (keys.length > 0 && use !== 'look') onKeys(keys);
        if (at >= 0) resolve();
      });
    });
  }

  /** Draws a screen from its first row on. What stood there before can be scrolled back to. */
  async draw(screen: string): Promise<void> {
    const other = screen.startsWith(OTHER_SCREEN);
    if (!this.#drawn && !other) await writeLive(process.stdout, '\r\n'.repeat(process.stdout.rows));
    this.#drawn = true;
    // That it was left was among the bytes that are gone.
    const back = this.#modes.onOtherScreen && !other ? LEAVE_OTHER_SCREEN : '';
    await this.show(Buffer.from(back + screen), { isPast: true });
  }

  /** `isPast`: printed before anybody looked here, so that what it asks was answered then or never. */
  async show(bytes: Buffer, { isPast = false } = {}): Promise<void> {
    if (this.#undo.length === 0) return; // It was given back.
    await this.#answering?.write(bytes, { isAsked: !isPast });
    const passed = this.#filter.write(bytes);
    this.#modes.pass(Buffer.from(passed));
    await writeLive(process.stdout, passed);
  }

  /** Bytes of the program that has this terminal for its own. They are shown by other means. */
  note(bytes: Buffer): void {
    this.#modes.pass(bytes);
  }

  /** Gives the terminal back as it was; whoever left a program halfway has the cursor below what it showed. */
  restore(): void {
    if (this.#undo.length === 0) return;
    const unfinished = Buffer.from(this.#filter.end()).toString();
    const back = this.#use === 'run' ? this.#modes.resetChanged() : `${unfinished}${this.#modes.reset()}\r\n\x1b[J`;
    // To a terminal Node writes at once, so that this is also done when the process is about to end.
    if (process.stdout.isTTY && back !== '') process.stdout.write(back);
    this.#answering?.dispose();
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        undo();
      } catch {
        // A terminal that was hung up has nothing left to restore.
      }
    }
  }

  #takeKeyboard(): void {
    const { stdin } = process;
    const takeRawMode = () => {
      stdin.setRawMode(true);
      // Node's raw mode still makes a new line of every line feed, and a program may mean no more than one row down.
      changeModes(stdin.fd, { clear: { output: OPOST } });
    };
    // A shell takes its own modes back while this process is stopped; Node would think that ours still hold.
    const continued = () => {
      if (!inForeground()) return;
      stdin.setRawMode(false);
      takeRawMode();
    };
    takeRawMode();
    process.on('SIGCONT', continued);
    this.#undo.push(
      () => stdin.setRawMode(false),
      () => process.off('SIGCONT', continued),
    );
  }
}

/** A background job may not touch its terminal: the kernel would stop it. */
export function inForeground(): boolean {
  const own = readProcessStat('self');
  return own !== null && own.processGroup === own.foregroundGroup;
}
