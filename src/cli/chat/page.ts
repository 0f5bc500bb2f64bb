import type pico from 'picocolors';
import type { Screen } from './screen.ts';

export type Colors = ReturnType<typeof pico.createColors>;

/** Kinds of content. Lines of work follow each other directly; a blank line separates everything else. */
export type Kind = 'user' | 'text' | 'work' | 'plan' | 'question' | 'end';

/** Content that can still grow while nothing else is shown. */
export interface OpenBlock {
  /** Writes held-back text, before other content or at the end. */
  close(): void;
  /** The current live lines, on a screen that can rewrite lines. */
  live?(): string[];
}

/** The conversation on the screen: a sequence of blocks, of which the last may be open. */
export interface Page {
  readonly screen: Screen;
  readonly colors: Colors;
  readonly current: OpenBlock | null;
  /** The calls that the last line is shown under, innermost first; empty after any other line. */
  under: readonly string[];
  /** Whether a blank line would precede lines of this kind. */
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
