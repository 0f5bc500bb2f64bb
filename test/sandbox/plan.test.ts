import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SandboxRequest, sandboxRequestSchema } from '../../src/protocol/terminal/index.ts';
import { bubblewrapArguments } from '../../src/sandbox/bubblewrap.ts';
import { isInside } from '../../src/sandbox/path-inside.ts';
import { findMount, type Look, planSandbox, type SandboxPlan } from '../../src/sandbox/plan.ts';

/** A machine with these paths: folders end in a slash, links have a target, all others are files. */
function machine(entries: Record<string, string | null>): Look {
  return (path) => {
    let at = posix.normalize(path);
    const link = entries[at] ?? null;
    for (let step = 0; step < 10 && typeof entries[at] === 'string'; step++) at = entries[at] as string;
    if (`${at}/` in entries || at === '/') return { folder: true, real: at, link };
    return at in entries ? { folder: false, real: at, link } : null;
  };
}

const MACHINE = machine({
  '/usr/': null,
  '/bin': '/usr/bin',
  '/usr/bin/': null,
  '/etc/': null,
  '/etc/hosts': null,
  '/etc/shadow': null,
  '/home/me/': null,
  '/home/me/.ssh/': null,
  '/home/me/.ssh/key': null,
  '/home/me/work/': null,
  '/home/me/work/src/': null,
  '/home/me/work/out': '/etc',
  '/home/me/work/.tacho/runtime/': null,
  '/home/me/work/.tacho/runtime/server.json': null,
  '/data/': null,
  '/data/set/': null,
  '/proc/': null,
  '/proc/1/': null,
  '/dev/': null,
  '/dev/sda': null,
  '/sys/': null,
  '/tmp/': null,
  '/link': '/data',
});
const PATHS = [
  '/',
  '/usr',
  '/etc',
  '/etc/hosts',
  '/etc/shadow',
  '/home/me',
  '/home/me/.ssh',
  '/home/me/.ssh/key',
].concat(
  ['/home/me/work', '/home/me/work/src', '/home/me/work/out', '/home/me/work/.tacho/runtime', '/missing'],
  ['/home/me/work/.tacho/runtime/server.json', '/data', '/data/set', '/proc', '/proc/1', '/dev/sda', '/sys', '/tmp'],
  ['/link', '/home/me/work/../.ssh'],
);
const PLACE = {
  workspace: '/home/me/work',
  cwd: '/home/me/work/src',
  environment: { HOME: '/home/me', TMPDIR: '/var/tmp' },
};

function plan(request: Partial<SandboxRequest>, place = PLACE): SandboxPlan {
  const planned = planSandbox(sandboxRequestSchema.parse(request), place, MACHINE);
  if ('why' in planned) throw new Error(planned.why);
  return planned.plan;
}

const seen = (request: Partial<SandboxRequest>, path: string) => {
  const mount = findMount(plan(request).mounts, path);
  if (mount?.shows !== 'host') return mount?.shows ?? 'unseen';
  return mount.writable ? 'write' : 'read';
};

test('by default: programs are readable, the workspace is writable, home and temporary folder are separate', () => {
  expect(plan({})).toEqual({
    mounts: [
      { path: '/bin', shows: 'link', target: '/usr/bin' },
      { path: '/dev', shows: 'devices' },
      { path: '/proc', shows: 'processes' },
      { path: '/tmp', shows: 'empty', writable: true },
      { path: '/usr', shows: 'host', source: '/usr', writable: false },
      { path: '/etc/hosts', shows: 'host', source: '/etc/hosts', writable: false },
      { path: '/home/me', shows: 'empty', writable: true },
      { path: '/home/me/work', shows: 'host', source: '/home/me/work', writable: true },
      { path: '/home/me/work/.tacho', shows: 'host', source: '/home/me/work/.tacho', writable: true },
      { path: '/home/me/work/.tacho/runtime', shows: 'empty', writable: false },
    ],
    network: false,
    cwd: '/home/me/work/src',
  });
});

test('the most specific path decides', () => {
  expect(seen({ workspace: 'read', write: ['/home/me/work/src'] }, '/home/me/work/src/a')).toBe('write');
  expect(seen({ workspace: 'read', write: ['/home/me/work/src'] }, '/home/me/work/a')).toBe('read');
  expect(seen({ hide: ['/data'], read: ['/data/set'] }, '/data/set')).toBe('read');
  expect(seen({ read: ['/data'], hide: ['/data/set'] }, '/data/set/x')).toBe('empty');
  expect(seen({ read: ['/'] }, '/etc/shadow')).toBe('read');
  expect(seen({ read: ['/'] }, '/home/me/.ssh/key')).toBe('empty');
  expect(seen({ read: ['/'], hide: ['/etc/shadow'] }, '/etc/shadow')).toBe('nothing');
  // For the same path, the stricter access.
  expect(seen({ read: ['/data'], write: ['/data'] }, '/data')).toBe('read');
});

test('a link shows its target at the path of the target; a link in the workspace is not followed', () => {
  expect(() => plan({ write: ['/home/me/work/out'] })).toThrow('leads out of the workspace, to /etc');
  expect(() => plan({ read: ['/home/me/work/out'] })).toThrow('leads out of the workspace, to /etc');
  expect(plan({ read: ['/link'] }).mounts).toContainEqual({ path: '/link', shows: 'link', target: '/data' });
  expect(seen({}, '/etc/shadow')).toBe('unseen');
});

test.each([
  [{ read: ['/proc/1'] }, 'never shown'],
  [{ write: ['/dev/sda'] }, 'never shown'],
  [{ read: ['/home/me/work/.tacho/runtime/server.json'] }, 'never shown'],
  [{ read: ['/missing'] }, 'is not there'],
])('%j is refused with a reason', (request, why) => {
  expect(() => plan(request)).toThrow(why);
});

test('a program cannot start in a folder that it cannot see', () => {
  expect(() => plan({}, { ...PLACE, cwd: '/data' })).toThrow('/data would not be visible');
  expect(plan({ read: ['/data'] }, { ...PLACE, cwd: '/data' }).cwd).toBe('/data');
});

const request = fc.record({
  network: fc.constantFrom('on', 'off'),
  workspace: fc.constantFrom('read', 'write'),
  read: fc.subarray(PATHS),
  write: fc.subarray(PATHS),
  hide: fc.subarray(PATHS),
}) as fc.Arbitrary<SandboxRequest>;

/** All requests that can be planned. */
function forEveryPlan(check: (planned: SandboxPlan, asked: SandboxRequest) => void): void {
  let plans = 0;
  fc.assert(
    fc.property(request, (asked) => {
      const lean = { ...asked, read: asked.read.slice(0, 3), write: asked.write.slice(0, 2) };
      const planned = planSandbox(lean, PLACE, MACHINE);
      if ('why' in planned) return;
      plans++;
      check(planned.plan, lean);
    }),
    { numRuns: 500 },
  );
  expect(plans).toBeGreaterThan(20);
}

test('for any request, no mount covers an earlier one, and no path occurs twice', () => {
  forEveryPlan(({ mounts }) => {
    mounts.forEach(({ path }, index) => {
      for (const later of mounts.slice(index + 1)) expect(isInside(path, later.path)).toBe(false);
    });
  });
});

test('for any request, only requested paths are writable', () => {
  forEveryPlan(({ mounts }, { write, workspace }) => {
    const allowed = [...write, ...(workspace === 'write' ? [PLACE.workspace] : [])].map((path) => MACHINE(path)!.real);
    for (const mount of mounts) {
      if (mount.shows === 'host' && mount.writable) {
        expect(allowed.some((path) => isInside(mount.path, path))).toBe(true);
        expect(mount.source).toBe(mount.path);
      }
    }
  });
});

test('for any request, hidden paths, other processes, devices and the runtime’s secret stay hidden', () => {
  forEveryPlan(({ mounts }, { hide }) => {
    for (const path of ['/proc/1', '/dev/sda', '/home/me/work/.tacho/runtime/server.json']) {
      expect(findMount(mounts, path)?.shows).not.toBe('host');
    }
    for (const path of hide) {
      const there = MACHINE(path);
      if (there && there.real !== '/') expect(findMount(mounts, there.real)?.shows).not.toBe('host');
    }
  });
});

test('for any request, every argument of bubblewrap is a known option, its value, or an absolute path', () => {
  const values: Record<string, number> = {
    '--bind': 2,
    '--ro-bind': 2,
    '--ro-bind-try': 2,
    '--symlink': 2,
    '--setenv': 2,
    '--cap-drop': 1,
  };
  for (const option of ['--tmpfs', '--remount-ro', '--proc', '--dev', '--chdir']) values[option] = 1;
  forEveryPlan((planned) => {
    const args = bubblewrapArguments(planned, { environment: { '--bind': '--' }, textDescriptor: 5 });
    expect(args.includes('--unshare-net')).toBe(!planned.network);
    for (let at = 0; at < args.length; at += 1 + (values[args[at]!] ?? 0)) {
      expect(args[at]).toMatch(/^--[a-z-]+$/);
      if (/^--(ro-)?bind$/.test(args[at]!)) expect(args[at + 2]).toMatch(/^\//);
    }
  });
});
