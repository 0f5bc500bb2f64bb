import type { LanguageModelV3FunctionTool, LanguageModelV3Message } from '@ai-sdk/provider';
import type { AgentData, ModelError, Usage } from '../../protocol/index.ts';

/** One message of a prompt, in the form that providers take. */
export type PromptMessage = LanguageModelV3Message;
/** A tool, in the form that providers take. */
export type ModelTool = LanguageModelV3FunctionTool;
type Json = NonNullable<unknown> | null;

/** A request for one response. */
export interface ModelRequest {
  /** The same array, grown, from step to step: never changed or kept by a model. */
  prompt: readonly PromptMessage[];
  tools: readonly ModelTool[];
  /** Asks for JSON by this schema, where the provider can. */
  outputSchema?: { readonly [key: string]: unknown } | undefined;
  maxOutputTokens?: number | undefined;
  temperature?: number | undefined;
}

/** What arrives from a model. Parts are numbered from 0, in the order in which they begin. */
export type ModelChunk =
  | {
      type: 'delta';
      kind: AgentData<'llm_response_delta'>['kind'];
      part: number;
      text: string;
      /** With the first chunk of a tool call. */
      call_id?: string;
      name?: string;
    }
  /** The provider's own data about a part (signatures, item ids), all of it: sent back to it as `providerOptions`. */
  | { type: 'meta'; part: number; meta: Json }
  | { type: 'finish'; finish_reason: AgentData<'llm_response_completed'>['finish_reason']; usage: Usage | null };

/** A model that an agent can use. */
export interface AgentModel {
  /** `provider:model`, as it is logged. */
  readonly id: string;
  /**
   * Chunks in the groups in which they arrive: one group becomes one write. Ends after `finish`. Throws `ModelFailure`.
   * Stops, and frees its connection, when `signal` aborts, whose reason it throws, or when the caller stops reading.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelChunk[]>;
}

/** A request that failed; `error.kind` says why. */
export class ModelFailure extends Error {
  readonly error: ModelError;

  constructor(error: ModelError, cause?: unknown) {
    super(error.message, cause === undefined ? undefined : { cause });
    this.name = 'ModelFailure';
    this.error = error;
  }
}
