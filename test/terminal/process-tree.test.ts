import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readProcessStat } from '../../src/files/index.ts';
import { endProcesses, endTree, MARKER_VARIABLE, members, type TreeIdentity } from '../../src/terminal/index.ts';
import {
  agent,
  isRunning,
  type RunningTerminal,
  runTerminal,
  startTerminal,
  temporaryFolder,
  until,
} from './run-terminal.ts';

const WAYS = ['background', 'stubborn', 'setsid', 'double-fork', 'no-environment', 'stopped', 'on-term'];
const printedPids = (text: string) => Array.from(text.matchAll(/pid (\d+)/g), (match) => Number(match[1]));

/** A process outside of any tree, killed when the test ends. */
function bystander(env: Record<string, string> = {}): ChildProcess {
  const child = spawn('/bin/sleep', ['300'], { env, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe.each(WAYS)('a process left behind: %s', (way) => {
  const start = (then: 'exit' | 'wait') =>
    startTerminal(['bash', agent('leave-behind.sh'), way, then], { lingerMs: 100, killGraceMs: 150, exclusive: true });
  const expectNothingLeft = ({ terminal, text }: RunningTerminal) => {
    expect(printedPids(text()).length).toBeGreaterThan(0);
    expect(printedPids(text()).filter(isRunning)).toEqual([]);
    expect(members(terminal.tree)).toEqual([]);
  };

  test('is gone after the command ended by itself', async () => {
    const running = start('exit');
    const end = await running.terminal.ended;
    expect(end).toMatchObject({ exitCode: 0, drained: true });
    expect(end.leftBehind).toBeGreaterThan(0);
    expectNothingLeft(running);
  });

  test('is gone after the tree was killed', async () => {
    const running = start('wait');
    await running.printed('waiting');
    expect(await running.terminal.kill()).toBeGreaterThan(1);
    await running.terminal.ended;
    expectNothingLeft(running);
  });
});

test('waits for a killed process that ends slowly', async () => {
  const child = readProcessStat(bystander().pid!)!;
  let polls = 0;
  await endProcesses(() => (polls++ < 60 ? [child] : []), 0);
  expect(polls).toBeGreaterThan(60);
});

test('a session whose processes fork and exit repeatedly does not delay the end of another', async () => {
  const forks =
    '$SIG{CHLD} = "IGNORE"; $| = 1; while (1) { print "."; select(undef, undef, undef, 0.002); fork && exit }';
  const other = startTerminal(['sh', '-c', `(setsid perl -e '${forks}' &); sleep 300`], { exclusive: true });
  await other.printed('.....');
  const child = readProcessStat(bystander().pid!)!;
  let polls = 0;
  const find = () => {
    // As long as a scan of many processes takes.
    for (const end = performance.now() + 20; performance.now() < end; );
    return polls++ < 2 ? [child] : [];
  };
  await endProcesses(find, 0, { marker: randomUUID() });
  expect(polls).toBeLessThan(20);
  await other.terminal.kill();
  await other.terminal.ended;
});

test('a background process that keeps the terminal open is ended after the linger and the grace', async () => {
  const end = await runTerminal(['bash', agent('leave-behind.sh'), 'stubborn', 'exit'], {
    lingerMs: 300,
    killGraceMs: 300,
  });
  expect(end).toMatchObject({ exitCode: 0, drained: true, leftBehind: 1 });
});

test('a process that ends within the linger is not counted as left behind', async () => {
  const end = await runTerminal(['bash', '-c', '(sleep 0.2; echo late) & exit 5'], { lingerMs: 60_000 });
  expect(end).toMatchObject({ exitCode: 5, leftBehind: 0, drained: true });
  expect(end.a.toString()).toBe('late\n');
});

test('a signal reaches every process of the tree and no other', async () => {
  const other = bystander();
  const running = startTerminal(['bash', '-c', 'sleep 300 & sleep 300 & echo "pid $!"; wait; echo woken']);
  await running.printed(/pid \d+\n/);
  const inside = members(running.terminal.tree).map(({ pid }) => pid);
  expect(inside).toContain(running.terminal.pid);
  expect(inside).toContain(printedPids(running.text())[0]);
  expect(inside).not.toContain(other.pid);
  expect(inside).not.toContain(process.pid);
  expect(running.terminal.signal('SIGTERM')).toBe(3);
  await running.terminal.ended;
  expect(isRunning(other.pid!)).toBe(true);
  expect(running.terminal.signal('SIGTERM')).toBe(0);
});

test('killing one terminal does not affect another', async () => {
  const [first, second] = [1, 2].map(() => startTerminal(['bash', agent('leave-behind.sh'), 'setsid', 'wait']));
  await Promise.all([first!.printed('waiting'), second!.printed('waiting')]);
  await first!.terminal.kill(100);
  await first!.terminal.ended;
  expect(printedPids(first!.text()).filter(isRunning)).toEqual([]);
  expect(printedPids(second!.text()).filter(isRunning)).toHaveLength(1);
  await second!.terminal.kill(100);
  await second!.terminal.ended;
});

test('a terminal does not wait for an orphan of another terminal that cleared its environment', async () => {
  const script = '(env -i /usr/bin/setsid /bin/sh -c "echo pid \\$\\$; exec /bin/sleep 300" &); sleep 300';
  const escaped = startTerminal(['bash', '-c', script]);
  await escaped.printed('pid');
  const [pid] = printedPids(escaped.text());
  // Waiting for it would exceed the test's timeout.
  expect(await runTerminal(['true'], { lingerMs: 600_000 })).toMatchObject({ leftBehind: 0 });
  expect(isRunning(pid!)).toBe(true);
  await escaped.terminal.kill(0);
  await escaped.terminal.ended;
  expect(isRunning(pid!)).toBe(false);
});

test('a spared process outlives the tree', async () => {
  let spared: number | null = null;
  const running = startTerminal(['bash', '-c', 'sleep 300 & echo "pid $!"; wait'], {
    spare: () => spared,
    lingerMs: 50,
    exclusive: true,
  });
  await running.printed(/pid \d+\n/);
  spared = printedPids(running.text())[0]!;
  await running.terminal.kill(100);
  expect(await running.terminal.ended).toMatchObject({ leftBehind: 0 });
  expect(isRunning(spared)).toBe(true);
  process.kill(spared, 'SIGKILL');
  await until(() => readProcessStat(spared!) === null, 'the spared process is collected');
});

describe('a process that only resembles one of the tree', () => {
  const tree = (more: Partial<TreeIdentity>): TreeIdentity => ({
    leader: 2 ** 30,
    leaderStartTime: '0',
    marker: randomUUID(),
    exclusive: false,
    ...more,
  });

  test('is left alone if its pid is a reused pid of the leader', async () => {
    const unrelated = bystander();
    await once(unrelated, 'spawn');
    const recycled = tree({ leader: unrelated.pid!, leaderStartTime: '1' });
    expect(members(recycled)).toEqual([]);
    expect(await endTree(recycled, 0)).toBe(0);
    expect(isRunning(unrelated.pid!)).toBe(true);
  });

  test('is left alone if its marker is longer, shorter, or part of another variable', async () => {
    const marker = randomUUID();
    const others = [
      bystander({ [MARKER_VARIABLE]: `${marker}0` }),
      bystander({ [MARKER_VARIABLE]: marker.slice(0, -1) }),
      bystander({ [`X${MARKER_VARIABLE}`]: marker }),
      bystander({ OTHER: `${MARKER_VARIABLE}=${marker}` }),
    ];
    const own = bystander({ BEFORE: '1', [MARKER_VARIABLE]: marker, AFTER: '2' });
    await until(() => members(tree({ marker })).length === 1, 'the marked process shows its environment');
    expect(members(tree({ marker })).map(({ pid }) => pid)).toEqual([own.pid]);
    const exit = once(own, 'exit');
    expect(await endTree(tree({ marker }), 30_000)).toBe(1);
    expect(await exit).toEqual([null, 'SIGTERM']);
    expect(others.every(({ pid }) => isRunning(pid!))).toBe(true);
  });
});

test('a process with any characters in its name is read correctly', async () => {
  const program = path.join(temporaryFolder(), ') R 1 (x');
  fs.copyFileSync('/bin/sleep', program);
  fs.chmodSync(program, 0o755);
  const child = spawn(program, ['300'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  expect(readProcessStat(child.pid!)).toMatchObject({ pid: child.pid, parent: process.pid });
  expect(readProcessStat(child.pid!)!.startTime).toMatch(/^\d+$/);
  expect(readProcessStat(2 ** 30)).toBeNull();
});
