import { beforeAll, describe, expect, test } from 'vitest';
import type { Policy } from '../../src/approvals/index.ts';
import type { PolicyRule } from '../../src/protocol/index.ts';
import { ASKED, DENIED, EVERYDAY } from './command-lines.ts';
import { judgeLine, policyWith } from './judge.ts';

/** What a person may allow without much thought. */
const NPM_TEST: PolicyRule = {
  decision: 'allow',
  command: ['npm', 'test'],
  match: ['npm test'],
  not_match: ['npm run x'],
};

describe('policy of command lines', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await policyWith({ rules: [NPM_TEST] });
  });

  test('the tables are as large as they should be', () => {
    expect(EVERYDAY.length).toBeGreaterThanOrEqual(60);
    expect(DENIED.length + ASKED.length).toBeGreaterThanOrEqual(150);
    const lines = [...EVERYDAY, ...DENIED, ...ASKED];
    expect(new Set(lines).size).toBe(lines.length);
  });

  test.each(EVERYDAY)('allows %j', (line) => {
    expect(judgeLine(policy, line)).toMatchObject({ decision: 'allow' });
  });

  test.each(DENIED)('denies %j', (line) => {
    expect(judgeLine(policy, line)).toMatchObject({ decision: 'deny', suggested_rule: null });
  });

  test.each(ASKED)('asks about %j', (line) => {
    expect(judgeLine(policy, line)).toMatchObject({ decision: 'ask' });
  });
});

test('rules that allow everything allow nothing that is denied', async () => {
  const names = ['sudo', 'bash', 'sh', 'rm', 'env', 'curl', 'find', 'cat', 'cp', 'ls', 'tar', 'dd', 'strace', 'eval'];
  const rules: PolicyRule[] = [
    ...names.map((name): PolicyRule => ({ decision: 'allow', command: [name] })),
    { decision: 'allow', tool: '*' },
    { decision: 'allow', path: '**' },
    { decision: 'allow', path: '/**' },
  ];
  const policy = await policyWith({ rules, defaults: { command: 'allow', write: 'allow', tool: 'allow' } });
  expect(DENIED.filter((line) => judgeLine(policy, line).decision !== 'deny')).toEqual([]);
});
