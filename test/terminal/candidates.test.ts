import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type ProcessStat, readProcessStat } from '../../src/files/index.ts';
import { listCandidates } from '../../src/terminal/processes/candidates.ts';

/** A shell with a child, killed when the test ends. */
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

test('a search for a tree skips older unrelated processes, but none that is newer or descends from us', async () => {
  const earlier = await startFamily();
  // Start times have a resolution of 10 ms.
  await pause(20);
  const leader = await startFamily();
  const found = (startTime: string) => new Set(listCandidates(startTime).map(({ pid }) => pid));
  const ours = [earlier.shell.pid, earlier.child.pid, leader.shell.pid, leader.child.pid, process.pid];

  // The second search uses the unrelated processes found by the first.
  found(leader.shell.startTime);
  const second = found(leader.shell.startTime);
  expect(ours.filter((pid) => !second.has(pid))).toEqual([]);
  expect(second).not.toContain(1);

  // With a leader as old as the machine, or of unknown age, any process may belong to its tree.
  for (const startTime of [readProcessStat(1)!.startTime, '']) expect(found(startTime)).toContain(1);
});
