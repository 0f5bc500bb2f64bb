import type { LineSink } from './line-sink.ts';

export interface ScreenOptions {
  write(text: string): void;
  /** Read on every use, so that a getter can follow a window that is resized. */
  columns: number;
  /** True for a terminal that can rewrite the last lines; otherwise output is only appended. */
  rewrites: boolean;
}

/** Written text stays; below it, a terminal shows a few live lines that are replaced over time. */
export interface Screen extends LineSink {
  readonly columns: number;
  readonly rewrites: boolean;
  line(text: string): void;
  /** Puts a blank line before the next line, unless it is the first. */
  wantBlank(): void;
  /** Replaces the live lines. None may be wider than the screen. */
  live(lines: readonly string[]): void;
  /** Writes everything since the last flush in one piece, to avoid flicker. */
  flush(): void;
}

const MIN_COLUMNS = 20;

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
      return Math.max(MIN_COLUMNS, Math.floor(options.columns) || 0);
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
      // An open line of text occupies the last row.
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
