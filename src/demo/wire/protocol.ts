import type { Answer } from '../answer.ts';
import type { JsonObject } from '../json-value.ts';
import type { ModelRequest } from '../model-request.ts';
import type { Problem } from '../problem.ts';
import type { Bill, Tokens } from './usage.ts';

/** One server-sent event: text is sent unchanged, everything else as JSON. */
export interface Frame {
  event?: string;
  data: unknown;
}

/** Facts from the path, known before the body is read. */
export interface PathFacts {
  model: string;
  transport: ModelRequest['transport'] | null;
}

/** A protocol for talking to a model over HTTP. */
export interface Protocol {
  name: 'openai-chat' | 'openai-responses' | 'gemini' | 'anthropic';
  readRequest(body: JsonObject, path: PathFacts): ModelRequest | Problem;
  /** The whole answer as one document. */
  document(request: ModelRequest, answer: Answer): unknown;
  /** The same answer as a stream. */
  frames(request: ModelRequest, answer: Answer): Frame[];
  errorBody(status: number, message: string): unknown;
  tokenCount: unknown;
  bill(tokens: Tokens): Bill;
}
