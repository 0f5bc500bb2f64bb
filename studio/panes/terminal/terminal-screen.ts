import '@xterm/xterm/css/xterm.css';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';
import type { Position, Size } from '../../model/terminal/frames.ts';
import type { Tape } from '../../model/terminal/tape.ts';
import { Store } from '../../state/store.ts';
import { Replay } from './replay.ts';
import { silence } from './silence.ts';
import { openTerminal } from './terminal-document.ts';
import { searchColours, terminalTheme } from './terminal-theme.ts';

const FONT = '"JetBrains Mono Variable", ui-monospace, "WenQuanYi Zen Hei Mono", monospace';
const FONT_SIZE = 13;
/** Smaller than this nobody reads; then it is scrolled. */
const LEAST_FONT_SIZE = 5;
/** More than this from a keyframe, the end of the way is shown first and all of it gone behind the scenes. */
const FAR_BYTES = 1024 * 1024;
/** So much of the end: more lines than a terminal keeps, mostly. */
const TAIL_BYTES = 256 * 1024;
/** Farther than this nobody goes behind the scenes: the screen stays what its last output made of it. */
const FARTHEST_BYTES = 64 * 1024 * 1024;
const SHARED = { scrollback: 1000, allowProposedApi: true } as const;

interface Wish {
  tape: Tape;
  to: Position;
}

/** One terminal on the page, that can be put to any position of a tape. */
export class TerminalScreen {
  /** Where a link in the output leads, while the pointer is on it. */
  readonly link = new Store<string | null>(null);
  readonly matches = new Store<{ index: number; count: number } | null>(null);
  /** The screen was made of the last output alone. */
  readonly approximate = new Store(false);
  readonly terminal: Terminal;
  readonly #replay: Replay;
  readonly #search = new SearchAddon();
  #wanted: Wish | null = null;
  #showing = false;
  #scouting: Tape | null = null;
  #actualSize = false;
  #closed = false;

  constructor() {
    this.terminal = new Terminal({
      ...SHARED,
      disableStdin: true,
      cursorInactiveStyle: 'outline',
      fontFamily: FONT,
      fontSize: FONT_SIZE,
      minimumContrastRatio: 4.5,
      theme: terminalTheme(),
      // Links are shown, never opened: their address is what the output says, and their text may say another.
      linkHandler: {
        activate: () => {},
        hover: (_, address) => this.link.set(address),
        leave: () => this.link.set(null),
        allowNonHttpProtocols: true,
      },
    });
    silence(this.terminal);
    this.#replay = new Replay(this.terminal);
    this.terminal.loadAddon(this.#search);
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.matches.set({ index: resultIndex, count: resultCount }),
    );
  }

  /** Resolves when it is there; letters are measured once, so the font comes first. */
  async open(parent: HTMLElement): Promise<void> {
    await document.fonts.load(`${FONT_SIZE}px ${FONT}`).catch(() => {});
    if (this.#closed) return;
    openTerminal(this.terminal, parent);
    this.terminal.onResize(() => this.fit());
    this.setTyping(false);
    this.fit();
  }

  close(): void {
    this.#closed = true;
    this.terminal.dispose();
  }

  /** The last wish counts. */
  async show(tape: Tape, to: Position): Promise<void> {
    this.#wanted = { tape, to };
    if (this.#showing) return;
    this.#showing = true;
    try {
      for (let wish = this.#wish(); wish !== null; wish = this.#wish(wish)) {
        const { tape, to } = wish;
        await this.#put(tape, to, () => wish === this.#wish());
      }
    } finally {
      this.#showing = false;
    }
  }

  /** Output of which nothing else is known, on an empty screen. */
  showAlone(output: Uint8Array, { cols, rows }: Size): void {
    this.#wanted = null;
    this.#replay.forget();
    this.terminal.reset();
    this.terminal.resize(cols, rows);
    // How it was recorded is not known; a carriage return too many does no harm.
    this.terminal.options.convertEol = true;
    this.terminal.write(output);
  }

  /** Scales the letters down until all columns and rows fit; columns and rows are those of the recording. */
  fit(): void {
    const { element, cols, rows } = this.terminal;
    const screen = element?.querySelector<HTMLElement>('.xterm-screen');
    const room = element?.parentElement;
    if (!screen || !room || screen.clientWidth === 0) return;
    const size = this.terminal.options.fontSize ?? FONT_SIZE;
    const perWidth = screen.clientWidth / cols / size;
    const perHeight = screen.clientHeight / rows / size;
    const fitting = Math.min(room.clientWidth / (cols * perWidth), room.clientHeight / (rows * perHeight));
    const wanted = this.#actualSize ? FONT_SIZE : Math.floor(fitting * 10) / 10;
    const next = Math.max(LEAST_FONT_SIZE, Math.min(FONT_SIZE, wanted));
    if (next !== size) this.terminal.options.fontSize = next;
  }

  setActualSize(actualSize: boolean): void {
    this.#actualSize = actualSize;
    this.fit();
  }

  setTheme(): void {
    this.terminal.options.theme = terminalTheme();
  }

  setReaderMode(on: boolean): void {
    this.terminal.options.screenReaderMode = on;
  }

  /** Without typing nothing of it takes the focus, so that the keys of the page stay those of the page. */
  setTyping(on: boolean): void {
    const { terminal } = this;
    terminal.options.disableStdin = !on;
    terminal.options.cursorBlink = on;
    if (terminal.textarea) terminal.textarea.disabled = !on;
    if (on) terminal.focus();
  }

  find(text: string, direction: 'next' | 'previous'): void {
    if (text === '') {
      this.#search.clearDecorations();
      this.matches.set(null);
      return;
    }
    const options = { decorations: searchColours() };
    if (direction === 'next') this.#search.findNext(text, options);
    else this.#search.findPrevious(text, options);
  }

  /** What is wanted, if it is not what was shown just now. */
  #wish(shown: Wish | null = null): Wish | null {
    return this.#closed || this.#wanted === shown ? null : this.#wanted;
  }

  async #put(tape: Tape, to: Position, isWanted: () => boolean): Promise<void> {
    if (this.#replay.distance(tape, to) <= FAR_BYTES) await this.#replay.show(tape, to, isWanted);
    else await this.#replay.showFrom(tape, await tailOf(tape, to), to, isWanted);
    const { isApproximate } = this.#replay;
    this.approximate.set(isApproximate);
    if (isApproximate) void this.#scout(tape, to);
  }

  /** Goes all the way in a terminal that nobody sees, for the keyframes; then the screen is what it really was. */
  async #scout(tape: Tape, to: Position): Promise<void> {
    const from = tape.keyframes.before(to)?.position.offset ?? 0;
    if (this.#scouting === tape || to.offset - from > FARTHEST_BYTES) return;
    this.#scouting = tape;
    const terminal = new Terminal(SHARED);
    const isWanted = () => this.#scouting === tape && !this.#closed;
    try {
      if (!(await new Replay(terminal).show(tape, to, isWanted))) return;
    } finally {
      terminal.dispose();
      if (this.#scouting === tape) this.#scouting = null;
    }
    this.#replay.forget();
    const wish = this.#wanted;
    if (wish?.tape === tape) void this.show(wish.tape, { ...wish.to });
  }
}

/** Where the last lines before a position begin. */
async function tailOf({ recording, read }: Tape, to: Position): Promise<Position> {
  const from = to.offset - TAIL_BYTES;
  const line = (await read(from, to.offset)).indexOf(0x0a) + 1;
  const offset = from + line;
  return { offset, resizes: recording.resizes.filter((resize) => resize.offset <= offset).length };
}
