import type { LinePattern } from '../line-pattern.ts';

/** Fatal errors before the first event are plain text on stderr. */
export const CODEX_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_NOT_TRUSTED', pattern: /^Not inside a trusted directory/ },
  { code: 'ENGINE_AUTH_REQUIRED', pattern: /^(Error: )?(Not logged in|Missing environment variable)/i },
  { code: 'ENGINE_ERROR', pattern: /^Error(:| [a-z]+ing )/ },
];
