import type { Mount, SandboxPlan } from './plan.ts';

/** Namespaces of its own, and none of the rights with which root of a namespace could undo its mounts. */
const ALWAYS = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
  '--die-with-parent',
];

/**
 * What of /proc acts on the whole machine. Its files belong to root, so a program that root runs may write them without
 * any capability: `core_pattern` is a command that the kernel then runs outside.
 */
const PROC_FIXED = ['sys', 'sysrq-trigger', 'fs', 'irq', 'bus', 'acpi', 'scsi', 'driver', 'mtrr'];

/** Pure: a plan as bubblewrap's arguments, up to where the program follows. */
export function bubblewrapArguments({ mounts, network, cwd, environment }: SandboxPlan): string[] {
  return [
    ...ALWAYS,
    ...(network ? [] : ['--unshare-net']),
    ...mounts.flatMap(mountArguments),
    // After everything that lies in them has its place.
    ...mounts.flatMap((mount) => (mount.shows === 'empty' && !mount.writable ? ['--remount-ro', mount.path] : [])),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
    '--',
  ];
}

function mountArguments(mount: Mount): string[] {
  switch (mount.shows) {
    case 'host':
      return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.path];
    case 'empty':
      return ['--tmpfs', mount.path];
    case 'nothing':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'processes':
      return ['--proc', mount.path, ...PROC_FIXED.flatMap((name) => readOnly(`${mount.path}/${name}`))];
    case 'devices':
      return ['--dev', mount.path];
  }
}

/** Where it is there. */
function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}
