import type { JournalLine, LineOptions, TailOptions } from '../../journal/index.ts';

/** Which of the two vocabularies a stream speaks, by the name of its frames. */
export type StreamKind = 'run_event' | 'chat_event';

/** The end of what a source holds right now. */
export interface Head {
  /** 0 while there is nothing. */
  seq: number;
  /** Nothing comes after it unless the run is reopened. */
  terminal: boolean;
}

/** The events of one run in one vocabulary, as the bytes they are kept as, numbered from 1 without a gap. */
export interface EventSource {
  readonly kind: StreamKind;
  head(): Promise<Head>;
  /** Resolves when all that the run's journal holds by now can be read here. */
  caughtUp(): Promise<void>;
  /** What is there after `afterSeq`, up to the end. */
  read(afterSeq: number, options?: LineOptions): AsyncIterable<JournalLine[]>;
  /** The same, and then what comes, until `signal` aborts. */
  tail(afterSeq: number, options: TailOptions & LineOptions): AsyncIterable<JournalLine[]>;
  typeOf(line: JournalLine): string;
  /** True for the event with which a run ends. */
  isTerminal(line: JournalLine): boolean;
  close(): Promise<void>;
}

export const DELTA_TYPES: ReadonlySet<string> = new Set(['agent.message.delta', 'assistant.message.delta']);
