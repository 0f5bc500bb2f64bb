import type * as z from 'zod';
import type { createRunSchema, RunStatus } from '../protocol/index.ts';

/** A run to start; what has a default may be left out. */
export type NewRun = z.input<typeof createRunSchema>;

export type RunQuery = {
  status?: RunStatus | undefined;
  engine?: string | undefined;
  /** Words looked for in prompts, commands and conversations. */
  q?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
};

/** A part of a history: by number or by time, both ends included. */
export type HistoryRange = {
  from_seq?: number | undefined;
  to_seq?: number | undefined;
  from_ts?: string | undefined;
  to_ts?: string | undefined;
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
