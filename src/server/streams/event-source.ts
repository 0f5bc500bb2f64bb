import type { JournalLine, LineOptions, TailOptions } from '../../journal/index.ts';

/** Which vocabulary a stream uses, by the name of its frames. */
export type StreamKind = 'run_event' | 'chat_event';

/** The current end of a source. */
export interface Head {
  /** 0 while it is empty. */
  seq: number;
  /** No event follows unless the run is reopened. */
  terminal: boolean;
}

/** The events of one run in one vocabulary, as their stored bytes, numbered from 1 without gaps. */
export interface EventSource {
  readonly kind: StreamKind;
  head(): Promise<Head>;
  /** Resolves when everything that the journal holds now can be read here. */
  caughtUp(): Promise<void>;
  /** Everything after `afterSeq`, up to the current end. */
  read(afterSeq: number, options?: LineOptions): AsyncIterable<JournalLine[]>;
  /** The same, followed by new events until `signal` aborts. */
  tail(afterSeq: number, options: TailOptions & LineOptions): AsyncIterable<JournalLine[]>;
  typeOf(line: JournalLine): string;
  /** True for the event with which a run ends. */
  isTerminal(line: JournalLine): boolean;
  close(): Promise<void>;
}

export const DELTA_TYPES: ReadonlySet<string> = new Set(['agent.message.delta', 'assistant.message.delta']);
