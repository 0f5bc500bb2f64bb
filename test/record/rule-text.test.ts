import { expect, it } from 'vitest';
import { ruleText } from '../../src/record/index.ts';

it('says in one line what a rule covers', () => {
  expect(ruleText({ decision: 'allow', command: ['npm', 'test'] })).toBe('commands that begin with "npm test"');
  expect(ruleText({ decision: 'allow', command: ['npm', ['test', 'ci'], ['run']] })).toBe(
    'commands that begin with "npm (test|ci) run"',
  );
  expect(ruleText({ decision: 'allow', tool: 'mcp_files_*' })).toBe('calls of the tool "mcp_files_*"');
  expect(ruleText({ decision: 'allow', path: 'docs/**' })).toBe('reading and changing "docs/**"');
  expect(ruleText({ decision: 'allow', path: 'docs/**', access: 'write' })).toBe('changing "docs/**"');
});

it('shows characters that could hide a part of the rule by their codes', () => {
  const hidden = { decision: 'allow' as const, command: ['npm\u202etest', 'a\nb', '\u001b[2K'] };
  expect(ruleText(hidden)).toBe('commands that begin with "npm\\u{202e}test a\\u{a}b \\u{1b}[2K"');
});
