import type { Policy } from '../../../src/approvals/index.ts';

/** For programs, which cannot import what belongs to the test runner. */
export const allowAll: Policy = {
  digest: 'test',
  rules: [],
  evaluate: () => ({ decision: 'allow', reason: 'the test says so', rule: null, suggested_rule: null }),
};
