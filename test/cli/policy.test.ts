import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tachoCommand, temporaryFolder } from '../support/tacho.ts';

const call = (name: string, args: object) => ({ type: 'call', name, arguments: args });
const TURNS = [
  [call('file_write', { path: 'a.txt', content: 'a' }), call('list_dir', { path: '.' })],
  call('file_write', { path: 'docs/b.txt', content: 'b' }),
  'Done.',
];

/** A workspace in which an agent may write, with one run of it. */
function workspace() {
  const root = temporaryFolder();
  const folder = path.join(root, 'work');
  const home = path.join(root, 'home');
  for (const one of [folder, home]) fs.mkdirSync(one);
  fs.writeFileSync(path.join(root, 'script.json'), JSON.stringify(TURNS));
  const configure = (safety: string) => fs.writeFileSync(path.join(home, 'config.yaml'), `safety:\n${safety}`);
  const env = { ...process.env, TACHO_HOME: home, NO_COLOR: '1' };
  const tacho = (...args: string[]) => {
    const { status: code, stdout, stderr } = spawnSync(tachoCommand, args, { cwd: folder, env, encoding: 'utf8' });
    return { code, stdout, stderr };
  };
  return { root, folder, configure, tacho };
}

function withRun() {
  const parts = workspace();
  parts.configure('  write: allow\n');
  const model = ['--provider', 'scripted', '--model', path.join(parts.root, 'script.json')];
  expect(parts.tacho('agent', ...model, 'write files').code).toBe(0);
  const [run] = JSON.parse(parts.tacho('agent', 'ls', '--json').stdout).runs as { run_id: string; locator: string }[];
  return { ...parts, run: run!.run_id, locator: run!.locator };
}

test('judges a command line by the policy of the folder, and names the rule', () => {
  const { tacho, configure } = workspace();
  expect(tacho('policy', 'test', 'git status | head')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^allow /),
  });
  expect(tacho('policy', 'test', 'make', 'test')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^ask {2}make test\n/),
  });
  expect(tacho('policy', 'test', 'sudo id')).toMatchObject({ code: 1, stdout: expect.stringMatching(/^deny /) });
  configure('  rules:\n    - { decision: allow, command: [make, test] }\n');
  const { code, stdout } = tacho('policy', 'test', 'make test');
  expect(code).toBe(0);
  expect(stdout).toContain('commands that begin with "make test"');
  expect(stdout).toContain('config.yaml:3:');
  expect(JSON.parse(tacho('policy', 'test', '--json', 'make test').stdout)).toMatchObject({
    line: 'make test',
    decision: 'allow',
    rule: 0,
    decided_by: { rule: { command: ['make', 'test'] }, level: 'user' },
  });
});

test('shows what the policy would have decided about a run, by its id, the path of its log, or a draft', () => {
  const { tacho, configure, run, locator, root } = withRun();
  expect(tacho('policy', 'test', '--against', run)).toMatchObject({
    code: 0,
    stdout: '3 calls: 3 the same, 0 different\n',
  });

  configure('  write: allow\n  rules:\n    - { decision: deny, path: docs/**, reason: docs are written by people }\n');
  const different = tacho('policy', 'test', '--against', run.slice(0, 10));
  expect(different.code).toBe(1);
  expect(different.stdout).toMatch(
    /^event \d+ {2}file_write .*docs\/b\.txt.*\n {2}allow → deny {2}deny access to docs\/\*\*/,
  );
  expect(different.stdout).toContain('3 calls: 2 the same, 1 different\n');

  const draft = path.join(root, 'draft.yaml');
  fs.writeFileSync(draft, 'safety:\n  write: ask\n  rules: []\n');
  const { stdout, code } = tacho('policy', 'test', '--json', '--against', locator, '--policy', draft);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    run_id: run,
    calls: 3,
    same: 1,
    changed: [
      { tool: 'file_write', was: { decision: 'allow' }, now: { decision: 'ask' } },
      { tool: 'file_write', was: { decision: 'allow' }, now: { decision: 'ask' } },
    ],
    skipped: [],
  });
});

test('explains what is missing', () => {
  const { tacho, run } = withRun();
  expect(tacho('policy', 'test')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the command line is missing'),
  });
  expect(tacho('policy', 'test', '--against', run, 'ls')).toMatchObject({ code: 2 });
  expect(tacho('policy', 'test', '--against', 'nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('RUN_NOT_FOUND'),
  });
  expect(tacho('policy', 'test', '--against', './nothing.jsonl')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no log'),
  });
  expect(tacho('policy', 'test', '--policy', 'missing.yaml', 'ls').code).toBe(2);
});
