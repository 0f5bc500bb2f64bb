import type { ModelError } from '../../../protocol/index.ts';
import type { ErrorFacts } from './error-facts.ts';

type Verdict = Pick<ModelError, 'kind' | 'retryable'>;
type Table = readonly (readonly [RegExp, Verdict])[];

const RATE_LIMITED: Verdict = { kind: 'rate_limited', retryable: true };
const OUT_OF_CREDIT: Verdict = { kind: 'rate_limited', retryable: false };
const OVERLOADED: Verdict = { kind: 'overloaded', retryable: true };
const AUTH: Verdict = { kind: 'auth', retryable: false };
const INVALID: Verdict = { kind: 'invalid_request', retryable: false };
const OVERFLOW: Verdict = { kind: 'context_overflow', retryable: false };
const NETWORK: Verdict = { kind: 'network', retryable: true };
const UNTRUSTED: Verdict = { kind: 'network', retryable: false };
const TIMEOUT: Verdict = { kind: 'timeout', retryable: true };
const SERVER: Verdict = { kind: 'unknown', retryable: true };
const UNKNOWN: Verdict = { kind: 'unknown', retryable: false };

const OVERFLOW_CODES =
  /context_length_exceeded|exceed_context_size|context_window_exceeded|request_too_large|string_above_max/i;

/** In the words of OpenAI, Anthropic, Gemini, Bedrock, Mistral, xAI, vLLM, llama.cpp, LM Studio, TGI and others. */
const OVERFLOW_SENTENCES =
  /maximum (?:context|prompt) length|longer than the maximum model length|exceeds? (?:the )?(?:(?:available|maximum|max|model(?:'s)?) )?context|context (?:window|length|size) (?:is )?exceed|exceed\w* (?:the )?(?:context|model token) (?:limit|window|length|size)|prompt (?:is )?too long|input is too long|input length exceeds|input token count|prompt token count of \d+ exceeds|request too large|too large for model|reduce the length of the (?:messages|prompt|input)|(?:inputs? tokens|`inputs`).{0,40}must (?:be <=|have less than)|the number of tokens to keep from the initial prompt|context the overflows|exceeds max length|too many tokens:/i;

/** With 429: one request that is larger than what a minute allows. All others succeed later. */
const LARGER_THAN_LIMIT = /request too large|must be reduced/i;

const CODES: Table = [
  [/insufficient_quota|billing|credit|payment|usage_?limit/i, OUT_OF_CREDIT],
  [/rate_?limit|too_many_requests|resource_exhausted/i, RATE_LIMITED],
  [/overloaded|unavailable|server_is_busy|slow_down/i, OVERLOADED],
  [/authentication|invalid_api_key|permission|unauthorized/i, AUTH],
  [/^(?:timeout_error|ETIMEDOUT|UND_ERR_(?:HEADERS|BODY|CONNECT)_TIMEOUT)$/, TIMEOUT],
  [/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL/, UNTRUSTED],
  [/^E(?:CONN|NOTFOUND|AI_AGAIN|PIPE|HOSTUNREACH|NETUNREACH)|^UND_ERR_/, NETWORK],
  [/invalid_?(?:request|argument|prompt|image)|not_found|unsupported|ERR_INVALID_URL/i, INVALID],
  [/server_?error|api_error|internal/i, SERVER],
];

/** Errors of the provider packages themselves. */
const NAMES: Table = [
  [/LoadAPIKeyError/, AUTH],
  // A stream that broke off in the middle of a frame, or without its end.
  [/JSONParseError|InvalidResponseDataError|EmptyResponseBodyError/, NETWORK],
  [/Unsupported|InvalidPrompt|InvalidArgument|NoSuchModel|LoadSetting/, INVALID],
];

const NETWORK_SENTENCES =
  /fetch failed|failed to fetch|terminated|socket hang up|other side closed|cannot connect|network/i;

/** What an error is about, and whether the same request may succeed later. */
export function failureKind(facts: ErrorFacts): Verdict {
  const verdict = byFields(facts);
  const advice = facts.headers['x-should-retry'];
  return advice === 'false' && verdict.retryable ? { ...verdict, retryable: false } : verdict;
}

function byFields({ status, message, codes, names }: ErrorFacts): Verdict {
  if (isOverflow(status, codes, message)) return OVERFLOW;
  const byCode = lookUp(CODES, codes);
  // Services send 429 for both, and say which one it is.
  if (status === 429) return byCode === OUT_OF_CREDIT ? OUT_OF_CREDIT : RATE_LIMITED;
  if (status !== null) return byStatus(status, byCode);
  return byCode ?? lookUp(NAMES, names) ?? (NETWORK_SENTENCES.test(message) ? NETWORK : UNKNOWN);
}

function isOverflow(status: number | null, codes: readonly string[], message: string): boolean {
  if (status === 401 || status === 403) return false;
  if (codes.some((code) => OVERFLOW_CODES.test(code))) return true;
  if (status === 429) return LARGER_THAN_LIMIT.test(message);
  return status === 413 || OVERFLOW_SENTENCES.test(message);
}

function byStatus(status: number, byCode: Verdict | null): Verdict {
  switch (status) {
    case 401:
    case 403:
      return AUTH;
    case 402:
      return OUT_OF_CREDIT;
    case 408:
    case 504:
    case 524:
      return TIMEOUT;
    case 409:
      return SERVER;
    case 503:
    case 529:
      return OVERLOADED;
  }
  if (status >= 500) return byCode ?? SERVER;
  return byCode === OUT_OF_CREDIT || byCode === AUTH ? byCode : INVALID;
}

function lookUp(table: Table, texts: readonly string[]): Verdict | null {
  for (const text of texts) {
    const found = table.find(([pattern]) => pattern.test(text));
    if (found) return found[1];
  }
  return null;
}
