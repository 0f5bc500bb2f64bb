import type * as z from 'zod';
import type { forkAgentSchema, RawStream, RunStatus, runRequestSchema } from '../protocol/index.ts';
import type { RequestOptions } from './transport.ts';

/** A run to start; fields with a default are optional. */
export type NewRun = z.input<typeof runRequestSchema>;

export interface StartOptions extends RequestOptions {
  /** Identifies the request, at most 200 characters: resent within 24 hours, it returns the same run. */
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

export type SkillQuery = {
  /** Words to search for in names and descriptions. */
  q?: string | undefined;
  cursor?: string | undefined;
  limit?: number | undefined;
  /** Whether to ask all sources first, whatever `skills.refresh` says. */
  refresh?: boolean | undefined;
};

/** Which agent of a run, and which of its steps. */
export type AgentQuery = {
  /** Run id of a child agent; the agent of the run itself by default. */
  agent?: string | undefined;
  after_step?: number | undefined;
  limit?: number | undefined;
};

export type AgentPromptQuery = {
  agent?: string | undefined;
  /** The newest one by default. */
  step?: number | undefined;
  after_message?: number | undefined;
  limit?: number | undefined;
};

/** A fork of an agent's run; fields with a default are optional. */
export type NewFork = z.input<typeof forkAgentSchema>;

/** A part of a history: by number or by time, both ends included, or everything after a cursor. */
export type HistoryRange = {
  cursor?: number | undefined;
  from_seq?: number | undefined;
  to_seq?: number | undefined;
  from_ts?: string | undefined;
  to_ts?: string | undefined;
  /** A type or its prefix, or several separated by commas. */
  type?: string | undefined;
  limit?: number | undefined;
  /** Whether to include the pieces of streamed messages; a final message contains its whole text. */
  deltas?: boolean | undefined;
  /** Whether to include the whole text of raw output; otherwise events may have its beginning only (`truncated`). */
  full?: boolean | undefined;
};

/** Half-open, like every byte range of the protocol; an omitted end means the end of the stream. */
export interface ByteWindow {
  from?: number | undefined;
  to?: number | undefined;
}

export type SearchQuery = {
  q: string;
  /** Where to begin: an earlier `next_from`. */
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
  /** Asks when this byte of the stream was read. */
  stream?: RawStream | undefined;
  byte?: number | undefined;
  /** Asks how much had been read at this time. */
  ts?: string | undefined;
  cursor?: number | undefined;
  limit?: number | undefined;
};
