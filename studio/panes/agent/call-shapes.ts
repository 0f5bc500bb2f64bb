import type { CallState } from '../../model/agent/step-summary.ts';

/** Each state of a call has a shape, so that it does not depend on its colour. */
export const CALL_SHAPES: Record<CallState, string> = {
  ok: '✓',
  failed: '✕',
  denied: '⊘',
  waiting: '◆',
  running: '●',
  requested: '○',
};
