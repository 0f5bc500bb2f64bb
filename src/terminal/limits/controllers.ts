import { type Group, readCounter, setValue } from './group.ts';

/** Maps the file names of both versions of control groups. */

export type Controller = 'memory' | 'pids' | 'cpu';

/** Period over which the CPU quota of a group is measured; the kernel's default. */
const CPU_PERIOD_MICROSECONDS = 100_000;

/** `limit`: bytes, processes, or percent of one CPU. */
export function setLimit(group: Group, controller: Controller, limit: number): void {
  switch (controller) {
    case 'memory':
      setMemory(group, limit);
      break;
    case 'pids':
      setValue(group, 'pids.max', limit);
      break;
    case 'cpu':
      setCpu(group, limit);
      break;
  }
}

function setMemory(group: Group, bytes: number): void {
  if (group.version === 2) {
    setValue(group, 'memory.max', bytes);
    // Otherwise memory would only be swapped out.
    ifThere(() => setValue(group, 'memory.swap.max', 0));
  } else {
    setValue(group, 'memory.limit_in_bytes', bytes);
    // Memory and swap together; the file exists only where swap is accounted.
    ifThere(() => setValue(group, 'memory.memsw.limit_in_bytes', bytes));
  }
}

function setCpu(group: Group, percent: number): void {
  const quota = (percent * CPU_PERIOD_MICROSECONDS) / 100;
  if (group.version === 2) {
    setValue(group, 'cpu.max', `${quota} ${CPU_PERIOD_MICROSECONDS}`);
  } else {
    setValue(group, 'cpu.cfs_period_us', CPU_PERIOD_MICROSECONDS);
    setValue(group, 'cpu.cfs_quota_us', quota);
  }
}

/** How often the limit was hit: processes killed for lack of memory, forks refused. CPU throttling does not count. */
export function countStrikes(group: Group, controller: Exclude<Controller, 'cpu'>): number {
  if (controller === 'pids') return readCounter(group, 'pids.events', 'max') ?? 0;
  return readCounter(group, group.version === 2 ? 'memory.events' : 'memory.oom_control', 'oom_kill') ?? 0;
}

/** Current bytes or processes that count towards the limit. */
export function readUsage(group: Group, controller: Exclude<Controller, 'cpu'>): number | null {
  if (controller === 'pids') return readCounter(group, 'pids.current');
  return readCounter(group, group.version === 2 ? 'memory.current' : 'memory.usage_in_bytes');
}

/** CPU time of everything that ever ran in the group; every group of version 2 has it. */
export function readCpuMs(group: Group): number | null {
  if (group.version === 1) return null;
  const microseconds = readCounter(group, 'cpu.stat', 'usage_usec');
  return microseconds === null ? null : microseconds / 1000;
}

function ifThere(set: () => void): void {
  try {
    set();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
