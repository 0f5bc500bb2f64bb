import type { DiagnosticCode } from '../../protocol/index.ts';
import type { LinePattern } from '../line-pattern.ts';

/** How lines on stderr begin that report a request that failed for good; the path of a report must not be read. */
const FAILED =
  /^(?:Error when talking to Gemini API .*?\.json |Original error that triggered report generation: |Attempt \d+ failed(?=.*Max attempts reached)|Request failed: |\[ERROR\] )/;

function failed(code: DiagnosticCode, about: RegExp): LinePattern {
  return { code, pattern: new RegExp(`${FAILED.source}.*(?:${about.source})`, 'i') };
}

/** What gemini prints outside of its formats, most of it on stderr. */
export const GEMINI_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_NOT_TRUSTED', pattern: /not running in a trusted directory/ },
  // The reason may fill several lines; only the last one says that there is another try.
  {
    code: 'ENGINE_RETRY',
    pattern: /\bRetrying (?:after \d+ms|with backoff)\.\.\./,
    begins: /^Attempt \d+ failed/,
  },
  // The model is told, and may do something else.
  { code: 'ENGINE_ERROR', pattern: /^Error executing tool /, severity: 'warning' },
  {
    code: 'ENGINE_AUTH_REQUIRED',
    pattern:
      /^(?:Please set an Auth method in your |When using (?:Gemini API|Vertex AI), you must specify |The enforced authentication type is |The auth type '|Manual authorization is required)/,
  },
  failed('ENGINE_RATE_LIMITED', /\b429\b|quota|exhausted|rate.?limit/),
  failed('ENGINE_AUTH_REQUIRED', /\b401\b|unauthenticated|unauthori[sz]ed|api key|authenticat|oauth/),
  { code: 'ENGINE_ERROR', pattern: FAILED },
  { code: 'ENGINE_ERROR', pattern: /^Error resuming session: / },
];
