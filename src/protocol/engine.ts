import type { RaspDraft } from './rasp.ts';
import type { OutputStream } from './raw-ref.ts';

/** How the process of an attempt ended. */
export interface ExitFacts {
  exit_code: number | null;
  signal: string | null;
  /** Milliseconds since the epoch. */
  time: number;
}

/**
 * Turns what an engine prints into events. Pure: no clock, no file, no randomness. The driver ticks to a chunk's time
 * before pushing it, live and in replay alike, so what depends on time depends on byte times only. The same bytes at
 * the same times, cut into other chunks, give the same drafts.
 */
export interface Parser {
  /** Bytes of one stream, all read at `time` (milliseconds since the epoch). The parser copies what it keeps. */
  push(stream: OutputStream, bytes: Uint8Array, time: number): RaspDraft[];
  /** Time has passed without bytes. */
  tick(time: number): RaspDraft[];
  end(exit: ExitFacts): RaspDraft[];
}

export interface ParserContext {
  attempt: number;
  engine: string;
  /** Where each stream's first byte stands in its file; 0 unless the file has a header. */
  origin: Partial<Record<OutputStream, number>>;
  /** The stream `pty` is a log of the same output that was recorded apart from stdout and stderr. */
  mergedApart?: boolean;
  /** The logs were recorded elsewhere: what people said to the engine is in them and in no event of tacho's. */
  imported?: boolean;
}
