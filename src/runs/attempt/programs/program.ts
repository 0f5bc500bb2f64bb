import type { EndedByUs, TachoError, TraceSummary } from '../../../protocol/index.ts';
import type { AttemptFile } from '../../../recording/index.ts';
import type { TerminalEnd, TerminalSide } from '../../../terminal/index.ts';

/**
 * A program that an attempt records: it is started, prints, and ends. There are two kinds, a command in a terminal and
 * a session of the terminal runtime.
 */
export interface Program {
  /** Starts it, or waits until it was started elsewhere. Throws when it cannot be started. */
  start(host: ProgramHost): void | Promise<void>;
  /** Between `pause` and `resume` its output is not read, because the disk is slower. */
  pause(): void;
  resume(): void;
  /**
   * Ends it and everything it started; `again` skips the grace period. Called before the start, the start ends at once.
   */
  end(reason: EndedByUs, options: { again: boolean }): void;
  /** More of its output is in the files. */
  recorded?(): void;
  /** The sources of its bytes, once all are recorded; null without a trace. */
  summarize?(recordedBytes: number): Promise<TraceSummary | null>;
  /** Attempt files that the program object writes itself. */
  readonly files?: readonly AttemptFile[];
  /** Releases its resources, and ends it if it still runs. */
  close(): void | Promise<void>;
}

/** The callbacks of a program to its attempt. None of them throws. */
export interface ProgramHost {
  started(pid: number): void;
  /** The bytes are valid during the call only. */
  output(side: TerminalSide, bytes: Buffer): void;
  input(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  end(reason: EndedByUs): void;
}

/** How a program ended, after delivering all of its output. */
export interface ProgramEnd {
  exit_code: number | null;
  signal: string | null;
  /** How its terminals ended, if it had any. */
  terminal?: Pick<TerminalEnd, 'drained' | 'outputProcessingRestored' | 'leftBehind'> & { cols: number; rows: number };
  /** Why it was ended, if not by the attempt. */
  endedByUs?: EndedByUs | null;
  /** Why it could not be started or followed. */
  error?: TachoError | null;
  /** Of a session file: the program that wrote it is gone. */
  isOver?: boolean;
  /** Microseconds since the epoch (default: now). */
  at?: number;
}
