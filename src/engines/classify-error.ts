import type { DiagnosticCode } from '../protocol/index.ts';

/** What an engine's error message is about. The order matters: a quota page may speak of keys, a key error never of quotas. */
const KINDS: readonly (readonly [RegExp, DiagnosticCode])[] = [
  [/\b429\b|rate.?limit|too many requests|resource.?exhausted|quota|usage.?limit/i, 'ENGINE_RATE_LIMITED'],
  [
    /\b401\b|unauthori[sz]ed|unauthenticated|authenticat|api key|invalid x-api-key|not logged in|logged out|(?:log|sign) ?in again|oauth/i,
    'ENGINE_AUTH_REQUIRED',
  ],
];

export function classifyError(message: string): DiagnosticCode {
  for (const [pattern, code] of KINDS) if (pattern.test(message)) return code;
  return 'ENGINE_ERROR';
}

/** The same for an HTTP status, if the engine reports it. */
export function classifyStatus(status: number | null, message: string): DiagnosticCode {
  if (status === 401 || status === 403) return 'ENGINE_AUTH_REQUIRED';
  if (status === 429) return 'ENGINE_RATE_LIMITED';
  return classifyError(message);
}
