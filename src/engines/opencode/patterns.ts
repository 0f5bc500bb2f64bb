import type { LinePattern } from '../line-pattern.ts';

/** What opencode says outside of its events, coloured and on stderr. */
export const OPENCODE_PATTERNS: readonly LinePattern[] = [
  // The command it asks for may go on over several lines, so the line need not end with what it decides.
  { code: 'ENGINE_PERMISSION_REJECTED', pattern: /^! permission requested: / },
  // Printed with --print-logs only: without it the engine tries again and again in silence.
  { code: 'ENGINE_RETRY', pattern: /^timestamp=\S+ level=ERROR .*message="stream error"/ },
  { code: 'ENGINE_ERROR', pattern: /^Error: / },
];
