import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { probeBubblewrap } from '../../../src/sandbox/index.ts';
import { openForTest, openIn } from './opened.ts';

const works = 'program' in (await probeBubblewrap('off'));
const IDENTITY = { GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@b' };

test('git commits, switches branches and merges in the profile balanced, and adds no placeholder', async () => {
  if (!works) return;
  const { bash, workspace } = await openForTest('balanced');
  execFileSync('git', ['init', '-q', '-b', 'main', workspace]);
  const script = `set -e
    echo one >file; git add -A; git commit -qm first
    git switch -qc other; echo two >file; git commit -qam second
    git switch -q main; git merge -q --no-ff -m merged other; git stash list; git gc -q
    git status --porcelain; git log --topo-order --format=%s; git ls-files`;
  const { stdout, stderr, exitCode } = await bash(script, { env: IDENTITY });
  expect([stderr.toString(), exitCode]).toEqual(['', 0]);
  expect(stdout.toString()).toBe('merged\nsecond\nfirst\nfile\n');
  expect(fs.readdirSync(workspace).sort()).toEqual(['.git', 'file']);
  expect(execFileSync('git', ['-C', workspace, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
});

test('npm test runs in the profile balanced', async () => {
  if (!works) return;
  const { run, workspace } = await openForTest('balanced', { path: process.env.PATH, read: toolchain('npm') });
  const manifest = { name: 'tiny', version: '1.0.0', scripts: { test: 'node --test' } };
  fs.writeFileSync(path.join(workspace, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(workspace, 'one.test.js'), "require('node:test')('passes', () => {});\n");
  const result = await run(['npm', 'test']);
  expect(result.stderr.toString()).not.toMatch(/npm (ERR|error)/);
  expect(result).toMatchObject({ exitCode: 0 });
  expect(result.stdout.toString()).toMatch(/pass 1/);
});

test('a Python build runs in the profile balanced', async () => {
  if (!works) return;
  const { bash, workspace } = await openForTest('balanced');
  fs.mkdirSync(path.join(workspace, 'tiny'));
  fs.writeFileSync(path.join(workspace, 'tiny/__init__.py'), 'def answer():\n    return 42\n');
  const script = `set -e
    python3 -m compileall -q tiny
    python3 -m zipapp . -m 'tiny:answer' -o /tmp/tiny.pyz && mv /tmp/tiny.pyz .
    python3 -m unittest discover -q 2>/dev/null || true
    python3 -c 'import sys; sys.path.insert(0, "tiny.pyz"); import tiny; print(tiny.answer())'`;
  const { stdout, stderr, exitCode } = await bash(script);
  expect([stdout.toString(), stderr.toString(), exitCode]).toEqual(['42\n', '', 0]);
  expect(fs.existsSync(path.join(workspace, 'tiny.pyz'))).toBe(true);
});

test('git can be read, and not written, in the profile prod', async () => {
  if (!works) return;
  const { bash, workspace } = await openForTest('prod');
  execFileSync('git', ['init', '-q', workspace]);
  fs.writeFileSync(path.join(workspace, 'file'), 'one');
  execFileSync('git', ['-C', workspace, 'add', 'file']);
  execFileSync('git', ['-C', workspace, 'commit', '-qm', 'first'], { env: { ...process.env, ...IDENTITY } });
  const { stdout, exitCode } = await bash(
    'git log --format=%s; git status --porcelain; echo two >file; git commit -qam x',
    {
      env: IDENTITY,
    },
  );
  expect(stdout.toString()).toBe('first\n');
  expect(exitCode).not.toBe(0);
  expect(fs.readFileSync(path.join(workspace, 'file'), 'utf8')).toBe('two\n');
});

test('the profile dev shows the machine and the home, but only the workspace is writable', async () => {
  if (!works) return;
  const { around, workspace } = await openForTest('balanced');
  const home = path.join(around, 'home');
  fs.mkdirSync(path.join(home, '.ssh'), { recursive: true });
  for (const name of ['.gitconfig', '.ssh/key']) fs.writeFileSync(path.join(home, name), 'content\n');
  const { bash } = await openIn(workspace, 'dev', { home });
  const script =
    'cat ~/.gitconfig; ls -A ~/.ssh; ls /etc/apt >/dev/null && echo etc; touch ~/new 2>/dev/null || echo read-only; touch here /tmp/x && echo written';
  const { stdout } = await bash(script);
  expect(stdout.toString()).toBe('content\netc\nread-only\nwritten\n');
});

test('paths that are asked for are readable or writable', async () => {
  if (!works) return;
  const { around, workspace } = await openForTest('balanced');
  for (const name of ['tools', 'cache']) fs.mkdirSync(path.join(around, name));
  fs.writeFileSync(path.join(around, 'tools/tool'), '#!/bin/sh\necho tool\n', { mode: 0o755 });
  const { bash } = await openIn(workspace, 'balanced', {
    read: [path.join(around, 'tools')],
    write: [path.join(around, 'cache')],
    path: `${around}/tools:/usr/bin:/bin:${around}/unseen`,
  });
  const { stdout } = await bash(
    'tool; touch ../tools/x 2>/dev/null || echo fixed; touch ../cache/x && echo kept; echo $PATH',
  );
  expect(stdout.toString()).toBe(`tool\nfixed\nkept\n${around}/tools:/usr/bin:/bin\n`);
});

/** The folder of a program and of its libraries, if it is not among those that every sandbox shows. */
function toolchain(name: string): string[] {
  const found = (process.env.PATH ?? '').split(':').find((folder) => fs.existsSync(path.join(folder, name)));
  return found === undefined || found.startsWith('/usr') || found === '/bin' ? [] : [path.dirname(found)];
}
