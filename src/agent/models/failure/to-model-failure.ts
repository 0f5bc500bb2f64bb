import type { ModelError } from '../../../protocol/index.ts';
import { ModelFailure } from '../model.ts';
import { errorFacts } from './error-facts.ts';
import { failureKind } from './failure-kind.ts';
import { hideSecrets } from './hide-secrets.ts';
import { retryAfterMs } from './retry-after.ts';

const MAX_MESSAGE_LENGTH = 1000;

const WHAT: Readonly<Record<ModelError['kind'], string>> = {
  rate_limited: 'the model service limits the rate of requests',
  overloaded: 'the model service is overloaded',
  auth: 'the model service rejected the API key',
  invalid_request: 'the model service rejected the request',
  context_overflow: 'the prompt does not fit into the context of the model',
  network: 'the connection to the model service failed',
  timeout: 'the model service did not answer in time',
  forbidden: 'requests to models are forbidden',
  unknown: 'the request to the model failed',
};

/**
 * The failure of a request. The error itself is not kept as its cause: it holds the prompt, headers and addresses, and
 * would be printed with the failure.
 */
export function toModelFailure(error: unknown, { secrets = [], now = Date.now() }: FailureContext = {}): ModelFailure {
  if (error instanceof ModelFailure) return error;
  const facts = errorFacts(error);
  const { kind, retryable } = failureKind(facts);
  const status = facts.status === null ? '' : ` (${facts.status})`;
  const detail = shortened(hideSecrets(facts.message, secrets));
  return new ModelFailure({
    kind,
    status: facts.status,
    message: `${WHAT[kind]}${status}${detail === '' ? '' : `: ${detail}`}`,
    retryable,
    retry_after_ms: retryAfterMs(facts.headers, now),
  });
}

export interface FailureContext {
  /** Never shown, wherever an error quotes them. */
  secrets?: readonly string[];
  /** What dates of the service are compared with. */
  now?: number;
}

/** A response that ended too early, or that does not go on. */
export function brokenResponse(kind: 'network' | 'timeout', message: string): ModelFailure {
  return new ModelFailure({ kind, status: null, message, retryable: true, retry_after_ms: null });
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_MESSAGE_LENGTH ? line : `${line.slice(0, MAX_MESSAGE_LENGTH)}…`;
}
