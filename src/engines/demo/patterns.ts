import type { LinePattern } from '../line-pattern.ts';

/** What it cannot begin with it says in plain text on stderr. */
export const DEMO_PATTERNS: readonly LinePattern[] = [{ code: 'ENGINE_ERROR', pattern: /^tacho-demo-agent: / }];
