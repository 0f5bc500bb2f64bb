import type { LinePattern } from '../line-pattern.ts';

/** Errors before the first turn are plain text on stderr. */
export const PI_PATTERNS: readonly LinePattern[] = [
  {
    code: 'ENGINE_AUTH_REQUIRED',
    pattern: /^(Error: )?(No API key (found|provided)|Authentication failed|No models? (available|selected))/,
  },
  { code: 'ENGINE_ERROR', pattern: /^(Error: |No session found matching )/ },
];
