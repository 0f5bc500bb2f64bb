import type { LinePattern } from '../line-pattern.ts';

/** What it cannot begin with it says in plain text on stderr. */
export const AGENT_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_AUTH_REQUIRED', pattern: /^tacho-agent: .*\[CREDENTIALS_MISSING\]/ },
  { code: 'ENGINE_ERROR', pattern: /^tacho-agent: / },
];
