import { expect, test } from 'vitest';
import type { PolicyRule } from '../../src/protocol/index.ts';
import { isPermission, readApproval } from '../../studio/model/conversation/approval-request.ts';
import { ruleSubject } from '../../studio/model/conversation/rule-subject.ts';

test('a command is shown as it would be typed', () => {
  const { act } = readApproval({ command: ['rm', '-r', 'my files', "it's"], cwd: '/work' });
  expect(act).toEqual({ kind: 'command', command: "rm -r 'my files' 'it'\\''s'", cwd: '/work' });
});

test('a write is shown as the change it makes', () => {
  expect(readApproval({ path: 'a.txt', before: 'one', after: 'two' }).act).toEqual({
    kind: 'write',
    path: 'a.txt',
    before: 'one',
    after: 'two',
  });
});

test('unknown details are shown unchanged, without the fields shown separately', () => {
  expect(readApproval({ tool: 'browse', url: 'http://x', risk: 'low' }).act).toEqual({
    kind: 'other',
    details: { tool: 'browse', url: 'http://x' },
  });
  expect(readApproval('anything')).toMatchObject({ act: { kind: 'other', details: { details: 'anything' } } });
  expect(readApproval(undefined)).toMatchObject({ act: { kind: 'other', details: {} }, why: null, destructive: false });
});

test('shows the reason, the risk and the deadline', () => {
  const asked = readApproval({
    command: 'ls',
    rule: { name: 'no network', reason: 'it leaves the machine' },
    reason: 'to see',
    risk: 'high',
    expires_at: '2026-11-15T08:00:00.000Z',
  });
  expect(asked).toMatchObject({ why: 'no network: it leaves the machine: to see', risk: 'high', destructive: true });
  expect(asked.until).toBe(Date.parse('2026-11-15T08:00:00.000Z'));
  expect(readApproval({ destructive: true })).toMatchObject({ destructive: true });
});

test('shows only the names of environment variables', () => {
  expect(readApproval({ env: { TOKEN: 'secret' }, env_names: ['HOME=/root', 'PATH'] }).environment).toEqual([
    'HOME',
    'PATH',
    'TOKEN',
  ]);
});

test('only an explicit approval counts as permission', () => {
  expect(['approved', 'approved_for_session', 'allow', 'denied', 'abort', ''].map(isPermission)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('what our own agent is about to do is shown by its actions', () => {
  const shell = { kind: 'shell', line: 'npm test', cwd: '/work' };
  const agent = { workspace: '/work', run_id: 'run-1' };
  expect(readApproval({ agent, tool: 'shell_command', actions: [shell], digest: 'd' }).act).toEqual({
    kind: 'command',
    command: 'npm test',
    cwd: '/work',
  });
  expect(readApproval({ actions: [{ kind: 'program', argv: ['rm', 'a b'], cwd: '/work' }] }).act).toMatchObject({
    command: "rm 'a b'",
  });
  expect(
    readApproval({
      actions: [
        { kind: 'delete', path: '/work/a' },
        { kind: 'write', path: '/work/b' },
      ],
    }).act,
  ).toEqual({
    kind: 'files',
    files: [
      { access: 'delete', path: '/work/a' },
      { access: 'write', path: '/work/b' },
    ],
  });
  expect(readApproval({ agent, tool: 'mcp__a__b', actions: [], arguments: { x: 1 }, digest: 'd' }).act).toEqual({
    kind: 'other',
    details: { tool: 'mcp__a__b', arguments: { x: 1 } },
  });
});

test('only a rule that can be shown is offered', () => {
  const rule = { decision: 'allow', command: ['npm', ['test', 'run']] };
  expect(readApproval({ suggested_rule: rule }).rule).toEqual(rule);
  expect(ruleSubject(rule as PolicyRule)).toEqual({ kind: 'command', words: '“npm (test|run)”' });
  expect(ruleSubject({ decision: 'allow', tool: 'mcp__a__*' })).toEqual({ kind: 'tool', words: '“mcp__a__*”' });
  for (const odd of [null, 'x', {}, { decision: 'deny', tool: 'x' }, { decision: 'allow', command: [] }]) {
    expect(readApproval({ suggested_rule: odd }).rule).toBeNull();
  }
});
