import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { probeLimits, removeLeftGroups } from '../../../src/terminal/index.ts';
import { Confinement } from '../../../src/terminal/limits/confinement.ts';
import { builtProgram } from '../../support/program.ts';
import { isRunning, until } from '../run-terminal.ts';
import { groupsOfTests } from './groups-left.ts';

test('the next runtime ends and removes the groups of a killed one, and no others', async () => {
  if (!(await probeLimits()).processes_limit!.works) return;
  const ours = Confinement.open({ processes: 10 }, 'ours')!;
  onTestFinished(() => ours.end());
  const program = fileURLToPath(new URL('./programs/hold-limited-sessions.ts', import.meta.url));
  const holder = spawn(process.execPath, [builtProgram(program)], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [line] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string];
  const pids: number[] = JSON.parse(line);
  expect(pids.filter(isRunning)).toHaveLength(6);
  await removeLeftGroups();
  expect(groupsOfTests(holder.pid)).toHaveLength(3);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  // Any daemon that another test starts at this moment may do it before us.
  await removeLeftGroups();
  await until(() => pids.filter(isRunning).length === 0, 'its processes are gone');
  expect(groupsOfTests(holder.pid)).toEqual([]);
  expect(groupsOfTests()).toHaveLength(1);
});
