import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findHierarchies, parseHierarchies } from '../../../src/terminal/limits/hierarchies.ts';

const HYBRID = `
23 1 0:5 / /proc rw - proc proc rw
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:4 - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
`;

test('a machine with both versions: each with its mount and our own group', () => {
  const cgroup = '9:name=systemd:/\n4:memory:/user/1000\n2:cpu,cpuacct:/\n3:pids:/a\n0::/user.slice\n';
  expect(parseHierarchies(HYBRID, cgroup)).toEqual([
    { version: 1, mount: '/sys/fs/cgroup/memory', own: '/sys/fs/cgroup/memory/user/1000', controllers: ['memory'] },
    {
      version: 1,
      mount: '/sys/fs/cgroup/cpu,cpuacct',
      own: '/sys/fs/cgroup/cpu,cpuacct',
      controllers: ['cpu', 'cpuacct'],
    },
    { version: 2, mount: '/sys/fs/cgroup/unified', own: '/sys/fs/cgroup/unified/user.slice', controllers: [] },
  ]);
});

test('a machine with version 2 only, mounted at a path with a space', () => {
  const mountinfo = '30 23 0:26 / /sys/fs/my\\040groups rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n';
  expect(parseHierarchies(mountinfo, '0::/user.slice/app.scope\n')).toEqual([
    { version: 2, mount: '/sys/fs/my groups', own: '/sys/fs/my groups/user.slice/app.scope', controllers: [] },
  ]);
});

test('a container that sees only a part of the tree', () => {
  const mountinfo = '30 23 0:26 /docker/abc /sys/fs/cgroup/pids ro - cgroup cgroup rw,pids\n';
  expect(parseHierarchies(mountinfo, '8:pids:/docker/abc/inner\n')).toMatchObject([
    { own: '/sys/fs/cgroup/pids/inner', mount: '/sys/fs/cgroup/pids' },
  ]);
  expect(parseHierarchies(mountinfo, '8:pids:/docker/other\n')).toEqual([]);
  expect(parseHierarchies('30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n', '0::/../outside\n')).toEqual([]);
});

test('for any file content, our group is below its mount', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '/', ':', ' ', '-', ',', '0', '4', '\\', '.', '\n') });
  const line = fc.oneof(
    word,
    fc
      .tuple(word, word, word)
      .map(([root, point, options]) => `1 2 0:3 /${root} /${point} rw - cgroup cgroup ${options}`),
  );
  fc.assert(
    fc.property(
      fc.array(line),
      fc.array(
        fc.oneof(
          word,
          word.map((text) => `0::/${text}`),
        ),
      ),
      (mounts, groups) => {
        for (const { mount, own } of parseHierarchies(mounts.join('\n'), groups.join('\n'))) {
          expect(path.relative(mount, own)).not.toMatch(/^\.\./);
        }
      },
    ),
  );
});

test('the hierarchies found on this machine are mounted', () => {
  for (const { own, mount } of findHierarchies()) expect(own.startsWith(mount)).toBe(true);
});
