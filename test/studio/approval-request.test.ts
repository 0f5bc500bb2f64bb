import { expect, test } from 'vitest';
import { isPermission, readApproval } from '../../studio/model/conversation/approval-request.ts';

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
