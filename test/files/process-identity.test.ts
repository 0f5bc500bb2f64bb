import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { identityOf, isAlive, ownIdentity } from '../../src/files/index.ts';
import { temporaryFolder, until } from '../support/tacho.ts';

test('this process is alive; a different start time, boot or host means another process', () => {
  const own = ownIdentity();
  expect(own.pid).toBe(process.pid);
  expect(isAlive(own)).toBe(true);
  expect(isAlive({ ...own, start_time: `${own.start_time}0` })).toBe(false);
  expect(isAlive({ ...own, boot_id: 'another' })).toBe(false);
  expect(isAlive({ ...own, host: 'another' })).toBe(false);
});

test('a process name with spaces and parentheses does not confuse the start time', async () => {
  const program = join(temporaryFolder(), 'a) b (c');
  copyFileSync('/bin/sleep', program);
  const child = spawn(program, ['60']);
  await once(child, 'spawn');
  const identity = identityOf(child.pid!)!;
  expect(readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(' ')).toContain(identity.start_time);
  expect(Number(identity.start_time)).toBeGreaterThanOrEqual(Number(ownIdentity().start_time));
  expect(isAlive(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
});

test('a zombie is not alive', async () => {
  // The shell is replaced by a sleep that never waits for its inherited child; then the child ends.
  const parent = spawn('/bin/sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed] = await once(parent.stdout!, 'data');
  const pid = Number(printed);
  await until(() => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.[0] === 'Z');
  expect(identityOf(pid)).toBeNull();
  parent.kill('SIGKILL');
});
