import type { LineSink } from './line-sink.ts';

export interface ScreenOptions {
  write(text: string): void;
  /** Read anew each time, so that a getter may follow a window that changes its size. */
  columns: number;
  /** A terminal, on which the last lines can be written again; otherwise everything is only ever appended. */
  rewrites: boolean;
}

/** What was written stays; below it, on a terminal, stand a few live lines that are replaced as time goes on. */
export interface Screen extends LineSink {
  readonly columns: number;
  readonly rewrites: boolean;
  line(text: string): void;
  /** The next line comes after a blank one, unless it is the first of all. */
  wantBlank(): void;
  /** Replaces the live lines. None of them may be wider than the screen. */
  live(lines: readonly string[]): void;
  /** Hands on all that was written since the last time, in one piece, so that nothing flickers. */
  flush(): void;
}

const NARROWEST = 20;

export function createScreen(options: ScreenOptions): Screen {
  let waiting = '';
  let live: readonly string[] = [];
  let lineOpen = false;
  let written = false;
  let blankWanted = false;

  function eraseLive(): void {
    if (live.length === 0) return;
    waiting += `\r${live.length > 1 ? `\u001b[${live.length - 1}A` : ''}\u001b[J`;
    live = [];
  }

  function append(text: string): void {
    if (text === '') return;
    eraseLive();
    if (blankWanted && written) waiting += '\n';
    blankWanted = false;
    waiting += text;
    written = true;
    lineOpen = true;
  }

  function endLine(): void {
    eraseLive();
    waiting += '\n';
    lineOpen = false;
  }

  return {
    get columns() {
      return Math.max(NARROWEST, Math.floor(options.columns) || 0);
    },
    rewrites: options.rewrites,
    append,
    endLine,
    line(text) {
      append(text);
      endLine();
    },
    wantBlank() {
      if (lineOpen) endLine();
      blankWanted = true;
    },
    live(lines) {
      // Text that is being written owns the last line.
      const next = options.rewrites && !lineOpen ? lines : [];
      if (next.join('\n') === live.join('\n')) return;
      eraseLive();
      waiting += next.join('\n');
      live = next;
    },
    flush() {
      if (waiting !== '') options.write(waiting);
      waiting = '';
    },
  };
}
