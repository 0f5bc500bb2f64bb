import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { carriesTag, spawnTagged } from '../../src/terminal/processes/session-tag.ts';
import { tachoCommand } from '../support/tacho.ts';
import { isRunning, runTerminal, startTerminal, temporaryFolder } from './run-terminal.ts';

/** Soft and hard limit of file locks, as the kernel shows them. */
function locksOf(pid: number | 'self'): string[] {
  return /^Max file locks +(\S+) +(\S+)/m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'latin1'))!.slice(1);
}

function sleepTagged(marker: string): number {
  const child = spawnTagged(marker, () => spawn('/bin/sleep', ['300'], { stdio: 'ignore' }));
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid!;
}

test('only the programs of a session have its tag, and they cannot raise it', () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const before = locksOf('self');
  const pid = sleepTagged(one);
  expect(locksOf('self')).toEqual(before);
  expect(new Set(locksOf(pid)).size).toBe(1);
  expect([carriesTag(pid, one), carriesTag(pid, other), carriesTag(process.pid, one)]).toEqual([true, false, false]);
});

test('a spawn that throws leaves our own limit unchanged', () => {
  const before = locksOf('self');
  const fail = () => spawn('\0');
  expect(() => spawnTagged(randomUUID(), fail)).toThrow();
  expect(locksOf('self')).toEqual(before);
});

test('a run in a session keeps the tag of the session, but a daemon started there does not', async () => {
  const workspace = fs.realpathSync(temporaryFolder());
  const marker = randomUUID();
  const tacho = `${process.execPath} ${tachoCommand}`;
  const script = `${tacho} terminal create --json; exec ${tacho} run -- sh -c 'echo pid $$; exec sleep 300'`;
  const env = { PATH: process.env.PATH!, HOME: workspace, TACHO_HOME: path.join(workspace, 'data') };
  const outer = startTerminal(['bash', '-c', script], { cwd: workspace, marker, env });
  await outer.printed(/pid \d+/);
  const inner = Number(/pid (\d+)/.exec(outer.text())![1]);
  const daemon = JSON.parse(fs.readFileSync(path.join(workspace, '.tacho/runtime/server.json'), 'utf8')).pid;
  expect([carriesTag(inner, marker), carriesTag(daemon, marker)]).toEqual([true, false]);
  expect(new Set(locksOf(inner)).size).toBe(2);
  await outer.terminal.kill(0);
  await outer.terminal.ended;
  expect([isRunning(inner), isRunning(daemon)]).toEqual([false, true]);
  process.kill(daemon, 'SIGTERM');
  await expect.poll(() => isRunning(daemon)).toBe(false);
});

test('if the limit is already in use, programs run without a tag and the status says so', async () => {
  const workspace = temporaryFolder();
  const tacho = `${process.execPath} ${tachoCommand}`;
  const script = `ulimit -x 5; ${tacho} terminal exec -- true && ${tacho} runtime status --json; ${tacho} runtime stop >&2`;
  const env = { PATH: process.env.PATH!, HOME: workspace };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: workspace, env });
  expect(JSON.parse(stdout).mechanisms.session_tag).toEqual({
    works: false,
    why: expect.stringContaining('RLIMIT_LOCKS'),
  });
});

test('file locks still work', async () => {
  const script = 'exec 9>lock; flock 9 && echo locked';
  const { a } = await runTerminal(['bash', '-c', script], { cwd: temporaryFolder() });
  expect(a.toString()).toBe('locked\n');
});
