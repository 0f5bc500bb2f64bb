import { readProcessStat } from '../../files/index.ts';
import type { AnsweringTerminal } from '../../runtime/answering-terminal.ts';
import { changeModes } from '../../terminal/libc.ts';
import { QueryFilter } from '../../terminal/safe-output/query-filter.ts';
import { writeLive } from '../output/guarded-terminal.ts';
import { TerminalModes } from './terminal-modes.ts';

export interface OwnTerminalOptions {
  /** `run`: every key is sent. `attach`: Ctrl-] detaches. `look`: so does Ctrl-C, and no key is sent. */
  use: 'run' | 'attach' | 'look';
  onKeys(keys: Buffer): void;
  onResize(size: { cols: number; rows: number }): void;
  /** Answers queries in place of this terminal; without it, queries get no answer. */
  answering?: AnsweringTerminal | null;
}

/**
 * Ctrl-], as in telnet, because few programs use it. Also in the encoding a terminal uses when the program has enabled
 * key modifiers.
 */
const LEAVE = /\x1d|\x1b\[93;5(?::1)?u|\x1b\[27;5;93~/;
const LEAVING_KEYS = { run: null, attach: LEAVE, look: new RegExp(`${LEAVE.source}|\x03`) };
const OTHER_SCREEN = '\x1b[?1049h';
const LEAVE_OTHER_SCREEN = '\x1b[?1049l';
const OPOST = 0o1;

/**
 * The user's terminal while it shows another one. Keys and bytes pass unchanged, except queries that would make the
 * terminal answer: those pass only for a program that owns the terminal.
 */
export class OwnTerminal {
  /** Resolves when the user detaches. */
  readonly left: Promise<void>;
  /** Resolves on the first key. */
  readonly firstKey: Promise<void>;
  /** Whether keys are read; otherwise the user can neither type nor detach. */
  readonly keyboard = OwnTerminal.hasKeyboard();
  readonly #use: OwnTerminalOptions['use'];
  readonly #modes = new TerminalModes();
  readonly #filter = new QueryFilter();
  readonly #answering: AnsweringTerminal | null;
  readonly #undo: (() => void)[] = [];
  #drawn = false;

  /** True when a user is at the keyboard and this is not a background job. */
  static hasKeyboard(): boolean {
    return Boolean(process.stdin.isTTY) && inForeground();
  }

  /** Null without a terminal to show anything on. */
  static take(options: OwnTerminalOptions): OwnTerminal | null {
    const typedOnly = options.use === 'run' && OwnTerminal.hasKeyboard();
    return process.stdout.isTTY || typedOnly ? new OwnTerminal(options) : null;
  }

  private constructor({ use, onKeys, onResize, answering }: OwnTerminalOptions) {
    const { stdin, stdout } = process;
    this.#use = use;
    this.#answering = answering ?? null;
    // Also when this process fails: the user continues in the same terminal.
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

  /** Draws a screen from its first row. The previous content remains in the scrollback. */
  async draw(screen: string): Promise<void> {
    const other = screen.startsWith(OTHER_SCREEN);
    if (!this.#drawn && !other) await writeLive(process.stdout, '\r\n'.repeat(process.stdout.rows));
    this.#drawn = true;
    // The sequence that left the alternate screen was among the lost bytes.
    const back = this.#modes.onOtherScreen && !other ? LEAVE_OTHER_SCREEN : '';
    await this.show(Buffer.from(back + screen), { isPast: true });
  }

  /** `isPast`: printed before we attached, so its queries were answered then or never. */
  async show(bytes: Buffer, { isPast = false } = {}): Promise<void> {
    if (this.#undo.length === 0) return; // Already restored.
    await this.#answering?.write(bytes, { isAsked: !isPast });
    const passed = this.#filter.write(bytes);
    this.#modes.pass(Buffer.from(passed));
    await writeLive(process.stdout, passed);
  }

  /** Tracks bytes of the program that owns this terminal, which are shown by other means. */
  note(bytes: Buffer): void {
    this.#modes.pass(bytes);
  }

  /** Restores the terminal; after detaching, the cursor is below the program's output. */
  restore(): void {
    if (this.#undo.length === 0) return;
    const unfinished = Buffer.from(this.#filter.end()).toString();
    const back = this.#use === 'run' ? this.#modes.resetChanged() : `${unfinished}${this.#modes.reset()}\r\n\x1b[J`;
    // Node writes to a terminal synchronously, so this works during exit.
    if (process.stdout.isTTY && back !== '') process.stdout.write(back);
    this.#answering?.dispose();
    for (const undo of this.#undo.splice(0).reverse()) {
      try {
        undo();
      } catch {
        // The terminal has hung up.
      }
    }
  }

  #takeKeyboard(): void {
    const { stdin } = process;
    const takeRawMode = () => {
      stdin.setRawMode(true);
      // Node's raw mode still translates line feeds to new lines, but a program may want to move down one row only.
      changeModes(stdin.fd, { clear: { output: OPOST } });
    };
    // A shell restores its own modes while this process is stopped; Node would assume that ours still apply.
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

/** The kernel stops a background job that touches its terminal. */
export function inForeground(): boolean {
  const own = readProcessStat('self');
  return own !== null && own.processGroup === own.foregroundGroup;
}
