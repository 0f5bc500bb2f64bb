import { expect, test } from 'vitest';
import { describeAvailableLimits } from '../../../src/cli/terminal/mechanisms.ts';

const works = { works: true, why: null };
const all = { memory_limit: works, processes_limit: works, cpu_limit: works, resource_limits: works, nice: works };

test('names the options of all limits that work here', () => {
  expect(describeAvailableLimits(all)).toEqual({
    ok: true,
    detail: '--memory, --processes, --cpu-percent, --cpu, --open-files, --file-size, --nice',
  });
});

test('names each limit that does not work here, and why', () => {
  const cpu_limit = { works: false, why: '/sys/fs/cgroup: it was not given the controller cpu' };
  expect(describeAvailableLimits({ ...all, cpu_limit })).toEqual({
    ok: false,
    detail:
      '--memory, --processes, --cpu, --open-files, --file-size, --nice; ' +
      '--cpu-percent not available: /sys/fs/cgroup: it was not given the controller cpu',
  });
});
