import type { ErrorCause } from './error-cause.ts';

/** What an error is about. */
export type ErrorClass = 'auth' | 'rate_limit' | 'usage_limit' | 'context' | 'network' | 'server';

type Table = readonly (readonly [ErrorClass, RegExp])[];

/** Words for a kind of error in fields of a service or an engine. */
const KINDS: Table = [
  ['usage_limit', /usage_?limit|usage_not_included|quota|billing|credit/i],
  ['rate_limit', /rate_?limit|too_?many_?requests|resource_?exhausted/i],
  ['auth', /auth|api_?key|permission_?(?:error|denied)|token_(?:expired|invalid)/i],
  ['context', /context_?(?:length|window|overflow)|request_too_large/i],
  ['network', /^E(?:CONN|NOTFOUND|TIMEDOUT|AI_AGAIN|PIPE)|connection|network/i],
  ['server', /server_?error|api_error|overloaded|^(?:internal|unavailable)$/i],
];

/** The same in sentences. The order matters: a page about limits may speak of keys, one about keys never of limits. */
const SENTENCES: Table = [
  ['usage_limit', /usage.?limit|insufficient.?quota|exceeded your current quota|credit balance/i],
  ['rate_limit', /\b429\b|rate.?limit|too many requests|resource.?exhausted|quota/i],
  [
    'auth',
    /\b401\b|unauthori[sz]ed|unauthenticated|authenticat|api key|invalid x-api-key|not logged in|logged out|(?:log|sign) ?in again|oauth/i,
  ],
  ['context', /context (?:length|window)|prompt is too long|input token count/i],
  [
    'network',
    /fetch failed|socket hang up|network error|connection (?:error|failed|refused|reset)|error sending request|stream disconnected|UND_ERR_[A-Z]+|\bE(?:CONN[A-Z]+|NOTFOUND|TIMEDOUT|AI_AGAIN)\b/i,
  ],
  ['server', /internal (?:server )?error|overloaded|high demand|service unavailable|bad gateway/i],
];

/** Fields before the HTTP status, and that before the sentence, which may speak of anything. */
export function classOf({ kinds, status, message }: ErrorCause): ErrorClass | null {
  for (const kind of kinds) {
    const found = lookUp(KINDS, kind);
    if (found) return found;
  }
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'usage_limit';
  if (status === 413) return 'context';
  if (status !== null && status >= 500) return 'server';
  const found = lookUp(SENTENCES, message);
  if (status === 429) return found === 'usage_limit' ? found : 'rate_limit';
  return found;
}

function lookUp(table: Table, text: string): ErrorClass | null {
  return table.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}
