/** What a patch does to one file. Paths are as written. */
export type FilePatch =
  | { kind: 'add'; path: string; content: string; mode?: number }
  | { kind: 'delete'; path: string; hunks: Hunk[] }
  | { kind: 'update'; path: string; moveTo: string | null; hunks: Hunk[]; mode?: number };

/** Lines to be replaced, and how to find them. */
export interface Hunk {
  lines: HunkLine[];
  /** Number of the first old line, from 1, in a unified diff. Null: the lines have to be found by their text. */
  at: number | null;
  /** Lines that come before, each after the one before it. */
  anchors: string[];
  /** The old lines end the file. */
  isAtEnd: boolean;
}

export interface HunkLine {
  kind: 'context' | 'old' | 'new';
  /** Without the line end; with the carriage return if the patch has one. */
  text: string;
  /** A note says that no line end follows. */
  isUnended?: boolean;
}

/** A text that is not a patch. `line` is from 1. */
export class PatchSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, what: string) {
    super(`line ${line} of the patch: ${what}`);
    this.name = 'PatchSyntaxError';
    this.line = line;
  }
}
