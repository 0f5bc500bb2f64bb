import { describe, expect, it } from 'vitest';
import { engineOf } from '../../../src/engines/index.ts';
import type { Completion } from '../../../src/protocol/index.ts';
import { repairOrder } from '../../../src/runs/result/repair-order.ts';

const CODEX = engineOf('codex');
const INVALID: Completion = {
  state: 'interrupted',
  reason_code: 'OUTPUT_INVALID',
  rule: 3,
  source: 'marker',
  confidence: 1,
  needs_user_input: false,
  diagnostics: [],
  evidence: [],
};
const violations = [{ path: '/lines', message: 'must be integer' }];
const ended: Parameters<typeof repairOrder>[0] = {
  attempt: 1,
  record: {},
  runDir: '/runs/some',
  completion: INVALID,
  evidence: { sessionId: 'ses-1' },
  profile: CODEX,
  contract: {
    skill: { namespace: 'user', name: 'count', version: null, sha256: '' },
    manifest: { entrypoint: { prompts: {} }, artifacts: [] },
    check: null,
    artifactsFolder: '/artifacts',
  },
  result: {
    payload: null,
    payload_from: null,
    validity: { state: 'invalid', violations },
    artifacts: [],
    skipped: [],
    violations,
  },
};
const rules = { maxAttempts: null, owner: null };

describe('repairOrder', () => {
  it('continues the session with the violations', () => {
    expect(repairOrder(ended, rules)).toMatchObject({
      run: '/runs/some',
      session: 'ses-1',
      interaction_id: null,
      text: expect.stringContaining('- /lines: must be integer'),
      repair: { owner: null },
    });
  });

  it.each<[string, Partial<typeof ended>]>([
    ['that has had its repair turn', { record: { repair_attempt: 1 } }],
    [
      'of an engine that cannot resume',
      { profile: { ...CODEX, capabilities: { ...CODEX.capabilities, resume: false } } },
    ],
    ['of an engine that named no session', { evidence: { sessionId: null } }],
    ['that was canceled', { completion: { ...INVALID, reason_code: 'CANCELED' } }],
    ['that timed out', { completion: { ...INVALID, reason_code: 'HARD_TIMEOUT' } }],
    ['that used up its budget', { completion: { ...INVALID, reason_code: 'BUDGET_EXCEEDED' } }],
    ['whose recorder died', { completion: { ...INVALID, reason_code: 'SUPERVISOR_LOST' } }],
    ['that succeeded', { completion: { ...INVALID, state: 'completed', reason_code: 'DONE_MARKER' } }],
  ])('does not repair a run %s', (_which, changes) => {
    expect(repairOrder({ ...ended, ...changes }, rules)).toBeNull();
  });

  it('respects the maximum number of attempts', () => {
    expect(repairOrder(ended, { ...rules, maxAttempts: 1 })).toBeNull();
    expect(repairOrder(ended, { ...rules, maxAttempts: 2 })).not.toBeNull();
  });
});
