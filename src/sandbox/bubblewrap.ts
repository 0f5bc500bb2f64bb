import type { Mount, SandboxPlan } from './plan.ts';

/** New namespaces, without the capabilities with which root of a namespace could undo its mounts. */
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
 * The parts of /proc that affect the whole machine. Its files belong to root, so a program of root may write them
 * without any capability: `core_pattern` is a command that the kernel then runs outside.
 */
const PROC_FIXED = ['sys', 'sysrq-trigger', 'fs', 'irq', 'bus', 'acpi', 'scsi', 'driver', 'mtrr'];

export interface ProgramOptions {
  environment: Readonly<Record<string, string>>;
  /** Where bubblewrap reads the file that the plan shows as text. */
  textDescriptor: number;
}

/** Pure: converts a plan to bubblewrap's options. */
export function bubblewrapArguments(
  { mounts, network, cwd }: SandboxPlan,
  { environment, textDescriptor }: ProgramOptions,
): string[] {
  return [
    ...ALWAYS,
    ...(network ? [] : ['--unshare-net']),
    ...mounts.flatMap((mount) => mountArguments(mount, textDescriptor)),
    // After everything that is mounted in them.
    ...mounts.flatMap((mount) => (mount.shows === 'empty' && !mount.writable ? ['--remount-ro', mount.path] : [])),
    ...Object.entries(environment).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
  ];
}

function mountArguments(mount: Mount, textDescriptor: number): string[] {
  switch (mount.shows) {
    case 'host':
      return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.path];
    case 'empty':
      return ['--tmpfs', mount.path];
    case 'nothing':
      return ['--ro-bind', '/dev/null', mount.path];
    case 'text':
      return ['--ro-bind-data', String(textDescriptor), mount.path];
    case 'link':
      return ['--symlink', mount.target, mount.path];
    case 'processes':
      return ['--proc', mount.path, ...PROC_FIXED.flatMap((name) => readOnly(`${mount.path}/${name}`))];
    case 'devices':
      return ['--dev', mount.path];
  }
}

/** Only if the path exists. */
function readOnly(path: string): string[] {
  return ['--ro-bind-try', path, path];
}
