import { expect, test } from 'vitest';
import { measureSession, probeLimits } from '../../../src/terminal/index.ts';
import { openSessions, untilPrinted } from '../run-sessions.ts';
import { until } from '../run-terminal.ts';

test.each([
  ['by its processes', {}],
  ['by its control group', { memory_bytes: 200_000_000, processes: 50 }],
])('a session is measured %s', async (_how, limits) => {
  if ('processes' in limits && !(await probeLimits()).memory_limit!.works) return;
  const under = openSessions();
  const { session_id } = await under.call('session.create', { limits, kill_grace_ms: 100 });
  const session = under.sessions.find(session_id);
  const idle = measureSession(session);
  expect(idle.processes).toBe(1);
  const busy = under.call('exec.run', {
    session_id,
    command: `sleep 300 & node -e 'const kept = Buffer.alloc(5e7, 1); console.log("full"); while (kept) {}' & wait`,
    exec_id: 'busy',
  });
  await untilPrinted(under, session_id, 'full');
  await until(() => measureSession(session).cpu_ms > idle.cpu_ms + 100, 'it uses the processor');
  const { rss_bytes, processes } = measureSession(session);
  expect(processes).toBe(3);
  expect(rss_bytes).toBeGreaterThan(50_000_000);
  expect(rss_bytes).toBeLessThan(200_000_001);
  await under.call('exec.cancel', { exec_id: 'busy' });
  await busy;
  await until(() => measureSession(session).processes === 1, 'only the shell is left');
});

test('an ended program uses nothing', async () => {
  const under = openSessions();
  const { session_id } = await under.call('session.create', { kind: 'exec', argv: ['true'] });
  const session = under.sessions.find(session_id);
  await session.whenClosed;
  expect(measureSession(session)).toEqual({ cpu_ms: 0, rss_bytes: 0, processes: 0 });
});
