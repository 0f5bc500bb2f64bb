import type { LinePattern } from '../line-pattern.ts';

/** What stops it before the first event is plain text on stderr. */
export const QWEN_PATTERNS: readonly LinePattern[] = [
  { code: 'ENGINE_AUTH_REQUIRED', pattern: /^(Missing API key|No auth type is selected|Please set an Auth method)/i },
  { code: 'ENGINE_RETRY', pattern: /^Retrying provider attempt \(/ },
  { code: 'ENGINE_ERROR', pattern: /^No saved session found with ID/ },
];
