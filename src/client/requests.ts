import type * as z from 'zod';
import type { RawStream, RunStatus, runRequestSchema } from '../protocol/index.ts';
import type { RequestOptions } from './transport.ts';

/** A run to start; what has a default may be left out. */
export type NewRun = z.input<typeof runRequestSchema>;

export interface StartOptions extends RequestOptions {
  /** Names the request, 200 characters at most: sent again within 24 hours, it gets the same run. */
  idempotencyKey?: string | undefined;
}

export interface InputOptions extends RequestOptions {
  piped?: boolean | undefined;
  end?: boolean | undefined;
}

export type RunQuery = {
  status?: RunStatus | undefined;
  engine?: string | undefined;
  /** Words to search for in prompts, commands and conversations. */
  q?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

/** A part of a history: by number or by time, both ends included, or what comes after a cursor. */
export type HistoryRange = {
  cursor?: number | undefined;
  from_seq?: number | undefined;
  to_seq?: number | undefined;
  from_ts?: string | undefined;
  to_ts?: string | undefined;
  /** A type or the beginning of one, or several with commas between them. */
  type?: string | undefined;
  limit?: number | undefined;
  /** Whether the pieces in which messages came are wanted too; a final message holds all of its text. */
  deltas?: boolean | undefined;
};

/** Half-open, like every byte range of the protocol; all of the stream where an end is left out. */
export interface ByteWindow {
  from?: number | undefined;
  to?: number | undefined;
}

export type SearchQuery = {
  q: string;
  /** Where to begin; what `next_from` said. */
  from?: number | undefined;
  limit?: number | undefined;
  ignore_case?: boolean | undefined;
};

export type LinesQuery = {
  /** A byte of the line in the middle. */
  around: number;
  limit?: number | undefined;
  before?: number | undefined;
  after?: number | undefined;
};

export type TimingQuery = {
  /** When was this byte of the stream read? */
  stream?: RawStream | undefined;
  byte?: number | undefined;
  /** How much had been read by then? */
  ts?: string | undefined;
  cursor?: number | undefined;
  limit?: number | undefined;
};
