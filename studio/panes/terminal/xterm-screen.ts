import '@xterm/xterm/css/xterm.css';
import { SearchAddon } from '@xterm/addon-search';
import { Terminal } from '@xterm/xterm';
import type { Size } from '../../model/terminal/frames.ts';
import { Store } from '../../state/store.ts';
import { boundCounts } from './bound-counts.ts';
import { silence } from './silence.ts';
import { openTerminal } from './terminal-document.ts';
import { searchColours, terminalTheme } from './terminal-theme.ts';

const FONT = '"JetBrains Mono Variable", ui-monospace, "WenQuanYi Zen Hei Mono", monospace';
const FONT_SIZE = 13;
/** The smallest readable size; below it the terminal scrolls instead. */
const MIN_FONT_SIZE = 5;
/** Options shared with hidden terminals. */
export const SHARED = { scrollback: 1000, allowProposedApi: true } as const;

/** One terminal on the page. Its columns and rows are given; its font size adapts to the room. */
export class XtermScreen {
  /** Target of the link under the pointer. */
  readonly link = new Store<string | null>(null);
  readonly matches = new Store<{ index: number; count: number } | null>(null);
  readonly terminal: Terminal;
  readonly #search = new SearchAddon();
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
      // Links are shown, never opened: their target comes from the output, and may differ from their text.
      linkHandler: {
        activate: () => {},
        hover: (_, address) => this.link.set(address),
        leave: () => this.link.set(null),
        allowNonHttpProtocols: true,
      },
    });
    silence(this.terminal);
    boundCounts(this.terminal);
    this.terminal.loadAddon(this.#search);
    this.#search.onDidChangeResults(({ resultIndex, resultCount }) =>
      this.matches.set({ index: resultIndex, count: resultCount }),
    );
  }

  /** Resolves when it is mounted; the font is loaded first, because characters are measured once. */
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

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Reduces the font size until all columns and rows fit. */
  fit(): void {
    const letter = this.#letter();
    if (letter === null) return;
    const { cols, rows } = this.terminal;
    const { size, perWidth, perHeight, room } = letter;
    const fitting = Math.min(room.clientWidth / (cols * perWidth), room.clientHeight / (rows * perHeight));
    const wanted = this.#actualSize ? FONT_SIZE : Math.floor(fitting * 10) / 10;
    const next = Math.max(MIN_FONT_SIZE, Math.min(FONT_SIZE, wanted));
    if (next !== size) this.terminal.options.fontSize = next;
  }

  /** How many columns and rows fit in full size; null before it is visible. */
  roomySize(): Size | null {
    const letter = this.#letter();
    if (letter === null) return null;
    const { perWidth, perHeight, room } = letter;
    const fitting = (pixels: number, per: number) => Math.max(1, Math.floor(pixels / (per * FONT_SIZE)));
    return { cols: fitting(room.clientWidth, perWidth), rows: fitting(room.clientHeight, perHeight) };
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

  /** Unless typing, it never gets the focus, so that keys stay shortcuts of the page. */
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

  /** Size of a character per pixel of font size, and the element that must hold them. */
  #letter(): { size: number; perWidth: number; perHeight: number; room: HTMLElement } | null {
    const { element, cols, rows, options } = this.terminal;
    const screen = element?.querySelector<HTMLElement>('.xterm-screen');
    const room = element?.parentElement;
    if (!screen || !room || screen.clientWidth === 0) return null;
    const size = options.fontSize ?? FONT_SIZE;
    return { size, perWidth: screen.clientWidth / cols / size, perHeight: screen.clientHeight / rows / size, room };
  }
}
