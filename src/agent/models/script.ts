import type { AgentData, ModelError, Usage } from '../../protocol/index.ts';
import type { ModelRequest } from './model.ts';

type FinishReason = AgentData<'llm_response_completed'>['finish_reason'];
type Json = NonNullable<unknown> | null;

/** One thing that a scripted model does in a turn. */
export type ScriptStep =
  | { type: 'text' | 'reasoning'; text: string; pieces?: number | undefined; meta?: Json | undefined }
  | {
      type: 'call';
      name: string;
      /** A text is sent as it is, so it need not be JSON. */
      arguments: Readonly<Record<string, unknown>> | string;
      id?: string | undefined;
      pieces?: number | undefined;
      meta?: Json | undefined;
    }
  | { type: 'wait'; until: (signal: AbortSignal) => Promise<unknown> | unknown }
  | { type: 'finish'; reason?: FinishReason | undefined; usage?: Usage | null | undefined }
  | { type: 'fail'; error: ModelError };

/** A text is a turn that says it. */
export type ScriptTurn = string | ScriptStep | readonly ScriptStep[];

/** Turns one after the other, or a function that gives turn `n`, counted from 0. */
export type Script = readonly ScriptTurn[] | ((request: ModelRequest, n: number) => ScriptTurn | Promise<ScriptTurn>);

interface Streamed {
  /** Streams in pieces of this many characters; all at once by default. */
  pieces?: number;
  /** The provider's own data about this part. */
  meta?: Json;
}

/** Says a text. */
export function say(text: string, options: Streamed = {}): ScriptStep {
  return { type: 'text', text, ...options };
}

/** Thinks a text, as reasoning models do. */
export function think(text: string, options: Streamed = {}): ScriptStep {
  return { type: 'reasoning', text, ...options };
}

/** Calls a tool. Arguments given as a text are sent as they are. */
export function call(
  name: string,
  args: Readonly<Record<string, unknown>> | string = {},
  options: Streamed & { id?: string } = {},
): ScriptStep {
  return { type: 'call', name, arguments: args, ...options };
}

/** Waits in the middle of a turn, for example for a promise that the test resolves. */
export function wait(until: (signal: AbortSignal) => Promise<unknown> | unknown): ScriptStep {
  return { type: 'wait', until };
}

/** Ends the turn in a certain way, for example with `length`, or with a certain usage. */
export function finish(reason?: FinishReason, usage?: Usage | null): ScriptStep {
  return { type: 'finish', reason, usage };
}

/** Fails the request, after the parts of the turn before it. */
export function fail(error: Partial<ModelError> & Pick<ModelError, 'kind'>): ScriptStep {
  const message = error.message ?? `scripted failure: ${error.kind}`;
  return { type: 'fail', error: { status: null, retryable: false, retry_after_ms: null, ...error, message } };
}
