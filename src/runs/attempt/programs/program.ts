import type { EndedByUs, TachoError, TraceSummary } from '../../../protocol/index.ts';
import type { AttemptFile } from '../../../recording/index.ts';
import type { TerminalEnd, TerminalSide } from '../../../terminal/index.ts';

/**
 * What an attempt records: something that is started, prints, and ends. There are two kinds, a command in a terminal and
 * a session of the terminal runtime.
 */
export interface Program {
  /** Starts it, or waits for being told that it was started. Throws when it cannot be started. */
  start(host: ProgramHost): void | Promise<void>;
  /** Nothing is read from it between these: the disk is slower than it. */
  pause(): void;
  resume(): void;
  /** Ends it and everything it started; `again` skips the grace. May come before the start, which then ends at once. */
  end(reason: EndedByUs, options: { again: boolean }): void;
  /** More of its output is in the files. */
  recorded?(): void;
  /** Who wrote which bytes, once all of them are recorded; null when nobody looked. */
  summarize?(recordedBytes: number): Promise<TraceSummary | null>;
  /** Files of the record that it has written itself. */
  readonly files?: readonly AttemptFile[];
  /** Gives up what it still holds, and ends it if it still runs. */
  close(): void | Promise<void>;
}

/** What a program tells the attempt that records it. None of these throws. */
export interface ProgramHost {
  started(pid: number): void;
  /** The bytes are valid during the call only. */
  output(side: TerminalSide, bytes: Buffer): void;
  input(bytes: Buffer): void;
  resize(cols: number, rows: number): void;
  end(reason: EndedByUs): void;
}

/** How a program ended, with all of its output handed over. */
export interface ProgramEnd {
  exit_code: number | null;
  signal: string | null;
  /** How its terminals ended, where it had some. */
  terminal?: Pick<TerminalEnd, 'drained' | 'outputProcessingRestored' | 'leftBehind'> & { cols: number; rows: number };
  /** Why it was ended, where not the attempt ended it. */
  endedByUs?: EndedByUs | null;
  /** Why it could not be started or followed. */
  error?: TachoError | null;
  /** Microseconds since the epoch; now unless given. */
  at?: number;
}
