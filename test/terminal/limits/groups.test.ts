import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countStrikes, readCpuMs, readUsage, setLimit } from '../../../src/terminal/limits/controllers.ts';
import { type Group, killGroup, processesIn, removeGroup, setValue } from '../../../src/terminal/limits/group.ts';
import { isLeftOver, nameGroup } from '../../../src/terminal/limits/group-name.ts';
import { findGroupPlace, makeGroup, tryHierarchies } from '../../../src/terminal/limits/group-places.ts';
import type { Hierarchy } from '../../../src/terminal/limits/hierarchies.ts';
import { isRunning, temporaryFolder, until } from '../run-terminal.ts';

/** The files of a version 2 group; this machine may not have the controllers. */
function groupOfFiles(files: Record<string, string>): Group {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text);
  return { version: 2, folder };
}

test('version 2: limits are written to its files, and its counters are read', () => {
  const group = groupOfFiles({
    'memory.max': 'max\n',
    'memory.swap.max': 'max\n',
    'memory.current': '8192\n',
    'memory.events': 'low 0\nhigh 0\nmax 12\noom 4\noom_kill 3\noom_group_kill 0\n',
    'pids.max': 'max\n',
    'pids.current': '5\n',
    'pids.events': 'max 2\n',
    'cpu.max': 'max 100000\n',
    'cpu.stat': 'usage_usec 1500\nuser_usec 1000\nsystem_usec 500\n',
  });
  setLimit(group, 'memory', 1_000_000);
  setLimit(group, 'pids', 20);
  setLimit(group, 'cpu', 150);
  const read = (name: string) => fs.readFileSync(path.join(group.folder, name), 'utf8');
  expect([read('memory.max'), read('memory.swap.max'), read('pids.max')].map(Number.parseFloat)).toEqual([
    1_000_000, 0, 20,
  ]);
  expect(read('cpu.max')).toBe('150000 100000');
  expect([countStrikes(group, 'memory'), countStrikes(group, 'pids')]).toEqual([3, 2]);
  expect([readUsage(group, 'memory'), readUsage(group, 'pids'), readCpuMs(group)]).toEqual([8192, 5, 1.5]);
});

test('a process without a pid in this namespace is ignored', () => {
  const group = groupOfFiles({ 'cgroup.procs': '0\n4194304\n0\n' });
  expect(processesIn(group)).toEqual([4_194_304]);
});

test('a setting that the kernel does not have is not created', () => {
  const group = groupOfFiles({ 'memory.max': '' });
  setLimit(group, 'memory', 1000);
  expect(fs.existsSync(path.join(group.folder, 'memory.swap.max'))).toBe(false);
  expect(() => setLimit(group, 'pids', 10)).toThrow('ENOENT');
});

test('gives the reason if nothing is mounted or our group may not be divided', () => {
  expect(tryHierarchies([]).get('memory')).toEqual({
    works: false,
    why: 'no hierarchy of control groups is mounted that has it',
  });
  const { folder } = groupOfFiles({ 'cgroup.controllers': 'cpu\n', 'cgroup.subtree_control': '\n' });
  const places = tryHierarchies([{ version: 2, mount: folder, own: folder, controllers: ['cpu'] }]);
  expect(places.get('pids')).toEqual({ works: false, why: `${folder}: it was not given the controller pids` });
});

test('a version 2 group with processes provides no controllers', () => {
  const place = findGroupPlace('tree');
  if (!place.works) return;
  const own = makeGroup(place, 'test-own');
  onTestFinished(async () => void (await removeGroup(own)));
  const child = spawn('sleep', ['300']);
  setValue(own, 'cgroup.procs', child.pid!);
  const { folder } = groupOfFiles({
    'cgroup.controllers': 'memory pids\n',
    'cgroup.subtree_control': '\n',
    'cgroup.type': 'domain\n',
    'cgroup.procs': `${process.pid}\n`,
  });
  const busy: Hierarchy = { version: 2, mount: folder, own: folder, controllers: ['memory', 'pids'] };
  const why = `${folder}: it holds processes itself`;
  expect(tryHierarchies([busy]).get('pids')).toEqual({ works: false, why });
  // A group with processes may still have subgroups without controllers.
  const real: Hierarchy = { version: 2, mount: path.dirname(own.folder), own: own.folder, controllers: [] };
  expect(tryHierarchies([real]).get('tree')).toMatchObject({ works: true });
});

test('the reason names each tried place with its error', () => {
  const { folder } = groupOfFiles({ 'cgroup.controllers': '', 'cgroup.subtree_control': '' });
  const places = tryHierarchies([
    { version: 1, mount: '/nowhere', own: '/nowhere', controllers: ['pids'] },
    { version: 2, mount: folder, own: folder, controllers: [] },
  ]);
  const why = `^${folder}: it was not given the controller pids; /nowhere: ENOENT`;
  expect(places.get('pids')).toMatchObject({ works: false, why: expect.stringMatching(why) });
});

test('a group is left over only if the process it is named after is gone', () => {
  const name = nameGroup('s-1');
  expect(isLeftOver(name)).toBe(false);
  const [, namespace, pid, startTime] = /^tacho-(\d+)-(\d+)-(\d+)-s-1$/.exec(name)!;
  expect(isLeftOver(`tacho-${namespace}-${pid}-${Number(startTime) + 1}-s-1`)).toBe(true);
  expect(isLeftOver(`tacho-${namespace}-4194305-1-s-1`)).toBe(true);
  // Its owner may be in a container, where the pid is another process.
  expect(isLeftOver(`tacho-1-4194305-1-s-1`)).toBe(false);
  for (const other of ['tacho', 'tacho-1', 'user.slice', `tacho-${namespace}-x-1-s-1`, `x${name}`]) {
    expect(isLeftOver(other)).toBe(false);
  }
});

test.each(['tree', 'memory', 'pids'] as const)(
  'all processes of a %s group are killed, and the group is removed',
  async (kind) => {
    const place = findGroupPlace(kind);
    if (!place.works) return expect(place.why).toMatch(/\w/);
    const group = makeGroup(place, `test-${kind}`);
    onTestFinished(async () => void (await removeGroup(group)));
    const child = spawn('sh', ['-c', 'read line; sleep 300 & setsid env -i sleep 300 & wait'], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    setValue(group, 'cgroup.procs', child.pid!);
    child.stdin.write('\n');
    await until(() => processesIn(group).length === 3, 'all three are in the group');
    const pids = processesIn(group);
    killGroup(group);
    expect(await removeGroup(group)).toBe(true);
    expect(pids.filter(isRunning)).toEqual([]);
    expect(fs.existsSync(group.folder)).toBe(false);
  },
);
