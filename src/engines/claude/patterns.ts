import type { LinePattern } from '../line-pattern.ts';

/** What stops it before the first event is plain text on stderr. */
export const CLAUDE_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_NOT_TRUSTED', pattern: /^--dangerously-skip-permissions cannot be used with root/ },
  { code: 'ENGINE_AUTH_REQUIRED', pattern: /^(Invalid API key|Not logged in|Please run \/login)/ },
  { code: 'ENGINE_ERROR', pattern: /^(No conversation found with session ID|Error:|error: (unknown option|option))/ },
];
