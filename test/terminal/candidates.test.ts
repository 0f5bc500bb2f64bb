import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type ProcessStat, readProcessStat } from '../../src/files/index.ts';
import { listCandidates } from '../../src/terminal/processes/candidates.ts';

/** A shell with a child, gone when the test is. */
async function startFamily(): Promise<{ shell: ProcessStat; child: ProcessStat }> {
  const shell = spawn('sh', ['-c', 'sleep 300 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [printed] = (await once(shell.stdout, 'data')) as [Buffer];
  const child = Number(printed.toString());
  onTestFinished(() => {
    shell.kill('SIGKILL');
    process.kill(child, 'SIGKILL');
  });
  return { shell: readProcessStat(shell.pid!)!, child: readProcessStat(child)! };
}

test('a search for a tree leaves out older processes from elsewhere, and none that is younger or comes from us', async () => {
  const earlier = await startFamily();
  // Start times are counted in hundredths of a second.
  await pause(20);
  const leader = await startFamily();
  const found = (startTime: string) => new Set(listCandidates(startTime).map(({ pid }) => pid));
  const ours = [earlier.shell.pid, earlier.child.pid, leader.shell.pid, leader.child.pid, process.pid];

  // Of the first search the second knows who is from elsewhere.
  found(leader.shell.startTime);
  const second = found(leader.shell.startTime);
  expect(ours.filter((pid) => !second.has(pid))).toEqual([]);
  expect(second).not.toContain(1);

  // A leader as old as the machine, and one of which nobody knows when it began: whoever is there may be of its tree.
  for (const startTime of [readProcessStat(1)!.startTime, '']) expect(found(startTime)).toContain(1);
});
