import { beforeAll, describe, expect, test } from 'vitest';
import { isWithin, type Policy } from '../../src/approvals/index.ts';
import type { PolicyRule } from '../../src/protocol/index.ts';
import { judgeLine, policyWith } from './judge.ts';

describe('suggested rules', () => {
  let policy: Policy;
  beforeAll(async () => {
    policy = await policyWith();
  });

  test.each([
    ['npm test', 'npm test'],
    ['npm test -- --watch', 'npm test'],
    ['npm run build', 'npm run build'],
    ['cd src && npm run build 2>&1 | tail -5', 'npm run build'],
    ['CI=1 pnpm run lint', 'pnpm run lint'],
    ['cargo build --release', 'cargo build'],
    ['go test ./...', 'go test'],
    ['make test', 'make test'],
    ['git commit -m "a message"', 'git commit'],
    ['timeout 60 pytest -q tests', 'pytest -q tests'],
    ["bash -lc 'npm test'", 'npm test'],
    ['cat /etc/hosts', 'cat /etc/hosts'],
    ['/usr/bin/make test', 'make test'],
    ['./gradlew test', './gradlew test'],
    ['npm test && npm test -- -u', 'npm test'],
  ])('%j would be allowed by %j', async (line, words) => {
    const { decision, suggested_rule } = judgeLine(policy, line);
    expect({ decision, suggested_rule }).toEqual({
      decision: 'ask',
      suggested_rule: { decision: 'allow', command: words.split(' '), match: [line] },
    });
    const withRule = await policyWith({ rules: [suggested_rule!] });
    expect(judgeLine(withRule, line).decision).toBe('allow');
  });

  test.each([
    ...['python x.py', 'node x.js', 'bash x.sh', "python -c 'x'", 'perl x', 'awk -f x', 'vim x', 'env', 'xargs touch'],
    ...[
      'rm x',
      'rm -rf build',
      'mv a b',
      'chmod +x a',
      'curl x',
      'wget x',
      'ssh host',
      'docker run x',
      'npx x',
      'dd if=a',
    ],
    ...[
      'make test && npm install',
      'npm test > out.txt',
      'npm test; ./x',
      'FOO=1 npm test',
      '$X',
      'npm test $(touch x)',
    ],
    ...['npm exec x', 'npm', 'git', 'git push', 'git -c a=b commit', 'make', 'npm run', 'find . -delete', 'sudo id'],
    ...['tool "a b"', 'tool $X', 'tool *', 'tool a b c d e f g h i', 'export A=b', 'alias a=b', 'source x', 'git x'],
    ...['ls > x', 'echo $SECRET', 'cat "$X"', 'cd ..'],
  ])('there is none for %j', (line) => {
    const { decision, suggested_rule } = judgeLine(policy, line);
    expect(decision).not.toBe('allow');
    expect(suggested_rule).toBeNull();
  });

  test('an answer may make the rule stricter, not looser', () => {
    const suggested: PolicyRule = { decision: 'allow', command: ['npm', ['test', 't']] };
    const within = (rule: PolicyRule) => isWithin(rule, suggested);
    expect(within(suggested)).toBe(true);
    expect(within({ decision: 'allow', command: ['npm', 'test'] })).toBe(true);
    expect(within({ decision: 'allow', command: ['npm', 'test', '--', '-u'] })).toBe(true);
    expect(within({ decision: 'deny', command: ['npm'] })).toBe(true);
    expect(within({ decision: 'allow', command: ['npm'] })).toBe(false);
    expect(within({ decision: 'allow', command: ['npm', ['test', 'exec']] })).toBe(false);
    expect(within({ decision: 'allow', tool: '*' })).toBe(false);
    expect(within({ decision: 'allow', path: '**' })).toBe(false);
  });

  test('is about the tool itself where a call says nothing about what it does', async () => {
    const call = { tool: 'mcp__files__write', actions: [], suggestsTool: true };
    const rule: PolicyRule = { decision: 'allow', tool: 'mcp__files__write' };
    expect(policy.evaluate(call)).toMatchObject({ decision: 'ask', suggested_rule: rule });
    expect(policy.evaluate({ ...call, suggestsTool: false }).suggested_rule).toBeNull();
    expect(policy.evaluate({ ...call, added: [rule] }).decision).toBe('allow');
    const asking = await policyWith({ rules: [{ decision: 'ask', tool: 'mcp__*' }] });
    expect(asking.evaluate(call)).toMatchObject({ decision: 'ask', suggested_rule: null });
    expect(
      [rule, { ...rule, tool: 'mcp__*' }, { decision: 'allow', command: ['ls'] } as PolicyRule].map((one) =>
        isWithin(one, rule),
      ),
    ).toEqual([true, false, false]);
  });
});
