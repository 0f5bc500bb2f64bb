import type pico from 'picocolors';
import type { Screen } from './screen.ts';

export type Colors = ReturnType<typeof pico.createColors>;

/** Kinds of content. Lines of work stand close together; everything else is set apart by a blank line. */
export type Kind = 'user' | 'text' | 'work' | 'plan' | 'question' | 'end';

/** Content that may still grow while nothing else is shown. */
export interface OpenBlock {
  /** Something else comes, or the end: what was held back is written. */
  close(): void;
  /** How it stands right now, where lines can be written again. */
  live?(): string[];
}

/** The conversation on the screen: a column of blocks, of which the last one may be open. */
export interface Page {
  readonly screen: Screen;
  readonly colors: Colors;
  readonly current: OpenBlock | null;
  /** The calls under whose names the last line stands, from the inside; none after any other line. */
  under: readonly string[];
  /** Whether lines of this kind would begin after a blank line. */
  isApart(kind: Kind): boolean;
  open(kind: Kind, block: OpenBlock): void;
  close(): void;
  lines(kind: Kind, lines: readonly string[]): void;
}

const CLOSE_TOGETHER: readonly Kind[] = ['work', 'end'];

export function createPage(screen: Screen, colors: Colors): Page {
  let kindNow: Kind | null = null;
  let current: OpenBlock | null = null;

  function isApart(kind: Kind): boolean {
    return kindNow !== null && (kind !== kindNow || !CLOSE_TOGETHER.includes(kind));
  }

  function close(): void {
    const block = current;
    current = null;
    block?.close();
  }

  function begin(kind: Kind): void {
    close();
    if (isApart(kind)) screen.wantBlank();
    kindNow = kind;
    page.under = [];
  }

  const page: Page = {
    screen,
    colors,
    get current() {
      return current;
    },
    under: [],
    isApart,
    open(kind, block) {
      begin(kind);
      current = block;
    },
    close,
    lines(kind, lines) {
      begin(kind);
      for (const line of lines) screen.line(line);
    },
  };
  return page;
}
