import { expect, test } from 'vitest';
import { probeLimits } from '../../../src/terminal/index.ts';
import { openSessions } from '../run-sessions.ts';
import { until } from '../run-terminal.ts';
import { groupsOfTests } from './groups-left.ts';

test('requests succeed or fail as the probe says, and the probe leaves nothing behind', async () => {
  const { call } = openSessions();
  const mechanisms = await probeLimits();
  await until(() => groupsOfTests().length === 0, 'its groups are gone');
  const asked = {
    memory_limit: { memory_bytes: 100_000_000 },
    processes_limit: { processes: 30 },
    cpu_limit: { cpu_percent: 50 },
    resource_limits: { open_files: 100, cpu_seconds: 5, file_bytes: 1000 },
    nice: { nice: 3 },
  };
  for (const [name, limits] of Object.entries(asked)) {
    const { works, why } = mechanisms[name]!;
    const given = call('exec.run', { argv: ['true'], limits }).then(
      ({ exit_code }) => exit_code,
      ({ code }) => code,
    );
    expect({ name, given: await given }).toEqual({ name, given: works ? 0 : 'LIMIT_UNAVAILABLE' });
    expect(why === null).toBe(works);
  }
  expect(Object.keys(mechanisms).sort()).toEqual([...Object.keys(asked), 'group_kill', 'session_tag'].sort());
});

test('the probe runs once', () => {
  expect(probeLimits()).toBe(probeLimits());
});
