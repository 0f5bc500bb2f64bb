import { describe, expect, it } from 'vitest';
import { repairMessage } from '../../../src/runs/result/repair-message.ts';

describe('repairMessage', () => {
  it('asks for a missing marker', () => {
    expect(repairMessage({ isMarked: false, violations: [], file: null })).toBe(
      `The done marker is missing from your final message.

If work is left, finish it first; do not repeat work that is done. Then end with the complete final message that the skill asks for, with its done marker ("__SKILL_DONE__": true).`,
    );
  });

  it('lists the violations with their pointers, and names the file of the result', () => {
    const violations = [
      { path: '/findings/0/line', message: 'must be integer' },
      { path: '', message: "must have required property 'summary'" },
    ];
    expect(repairMessage({ isMarked: true, violations, file: 'result.json' })).toBe(
      `The result does not follow its contract:
- /findings/0/line: must be integer
- (root): must have required property 'summary'

Correct only what is listed and do not repeat work that is done. Write the corrected result to result.json. Then end with the complete final message that the skill asks for, with its done marker ("__SKILL_DONE__": true).`,
    );
  });

  it('limits the list', () => {
    const violations = Array.from({ length: 30 }, (_, at) => ({ path: `/${at}`, message: 'must be string' }));
    const lines = repairMessage({ isMarked: true, violations, file: null }).split('\n');
    expect(lines.filter((line) => line.startsWith('- /'))).toHaveLength(20);
    expect(lines).toContain('- and 10 more');
  });
});
