import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRunning, pollUntil, readProcessStat } from '../../src/files/index.ts';
import { parseProcessStat } from '../../src/files/proc-stat.ts';

const FIELDS = '1 2 3 34816 5 0 0 0 0 0 10 20 30 40 20 0 1 0 777 0 0';

test('the name of a program cannot corrupt the fields', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 16 }), (name) => {
      expect(parseProcessStat(`42 (${name}) S ${FIELDS}`)).toEqual({
        pid: 42,
        state: 'S',
        zombie: false,
        parent: 1,
        processGroup: 2,
        session: 3,
        foregroundGroup: 5,
        cpuTicks: 100,
        startTime: '777',
      });
    }),
  );
  for (const text of ['', '42', '42 (x) S', '42 (x) S 1 2 3']) expect(parseProcessStat(text)).toBeNull();
});

test('a process is a zombie if no thread of it is left', () => {
  const threads = (state: string, count: number) =>
    parseProcessStat(`42 (x) ${state} ${FIELDS.replace(' 20 0 1 0 777', ` 20 0 ${count} 0 777`)}`)!.zombie;
  expect(threads('Z', 1)).toBe(true);
  expect(threads('Z', 0)).toBe(true);
  // Only its first thread has ended.
  expect(threads('Z', 3)).toBe(false);
  expect(threads('X', 1)).toBe(true);
  expect(threads('R', 1)).toBe(false);
});

test('a killed process does not count as running, even before its parent collects it', async () => {
  const parent = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 61'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [printed] = await once(parent.stdout!, 'data');
  const pid = Number(printed);
  const { startTime } = readProcessStat(pid)!;
  expect(isRunning({ pid })).toBe(true);
  expect(isRunning({ pid, startTime })).toBe(true);
  expect(isRunning({ pid, startTime: `${startTime}0` })).toBe(false);
  // Once the shell is replaced, its child is not collected.
  await pollUntil(() => readProcessStat(parent.pid!)?.state === 'S', { everyMs: 5 });
  process.kill(pid, 'SIGKILL');
  await pollUntil(() => !isRunning({ pid }), { everyMs: 5 });
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  expect(isRunning({ pid: parent.pid! })).toBe(false);
});
