import type { LinePattern } from '../line-pattern.ts';

/** What opencode says outside of its events, coloured and on stderr. */
export const OPENCODE_PATTERNS: readonly LinePattern[] = [
  // The command it asks for may span several lines, so the line need not end with the decision.
  { code: 'ENGINE_PERMISSION_REJECTED', pattern: /^! permission requested: / },
  // Printed with --print-logs only: without it the engine tries again and again in silence.
  { code: 'ENGINE_RETRY', pattern: /^timestamp=\S+ level=ERROR .*message="stream error"/ },
  { code: 'ENGINE_ERROR', pattern: /^Error: / },
];
