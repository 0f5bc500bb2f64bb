import { type Group, readCounter, setValue } from './group.ts';

/** What the two versions of control groups call the same thing. */

export type Controller = 'memory' | 'pids' | 'cpu';

/** The time within which a group may use up its share of the processors; the kernel's default. */
const CPU_PERIOD_MICROSECONDS = 100_000;

/** `most`: bytes, processes, or percent of one processor. */
export function setLimit(group: Group, controller: Controller, most: number): void {
  switch (controller) {
    case 'memory':
      setMemory(group, most);
      break;
    case 'pids':
      setValue(group, 'pids.max', most);
      break;
    case 'cpu':
      setCpu(group, most);
      break;
  }
}

function setMemory(group: Group, bytes: number): void {
  if (group.version === 2) {
    setValue(group, 'memory.max', bytes);
    // Or it would only be moved out of memory.
    ifThere(() => setValue(group, 'memory.swap.max', 0));
  } else {
    setValue(group, 'memory.limit_in_bytes', bytes);
    // Memory and swap together; the file is only there where swap is counted.
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

/** How often the limit struck: processes killed for want of memory, forks refused. To be slowed down is not a strike. */
export function countStrikes(group: Group, controller: Exclude<Controller, 'cpu'>): number {
  if (controller === 'pids') return readCounter(group, 'pids.events', 'max') ?? 0;
  return readCounter(group, group.version === 2 ? 'memory.events' : 'memory.oom_control', 'oom_kill') ?? 0;
}

/** Bytes or processes that count towards the limit now. */
export function readUsage(group: Group, controller: Exclude<Controller, 'cpu'>): number | null {
  if (controller === 'pids') return readCounter(group, 'pids.current');
  return readCounter(group, group.version === 2 ? 'memory.current' : 'memory.usage_in_bytes');
}

/** CPU time of everything that ever ran in the group; every group of version 2 counts it. */
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
