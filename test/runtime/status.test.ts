import { expect, test } from 'vitest';
import { RUNTIME_METHODS } from '../../src/protocol/index.ts';
import { serveRuntime } from './serve.ts';

test('stats report the usage of each session, including processes that left its terminal', async () => {
  const { client } = await serveRuntime();
  const { session_id } = await client.call('session.create', { kind: 'shell' });
  const quiet = await client.call('session.create', { kind: 'shell' });
  await client.call('exec.run', {
    session_id,
    command: 'setsid sleep 60 & env -i sleep 60 & i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done',
  });
  const stats = RUNTIME_METHODS['system.stats'].result.parse(await client.call('system.stats', {}));
  const of = (id: string) => stats.sessions.find((entry) => entry.session_id === id)!;
  expect(of(session_id)).toMatchObject({ processes: 3 });
  expect(of(session_id).cpu_ms).toBeGreaterThan(0);
  expect(of(session_id).rss_bytes).toBeGreaterThan(1_000_000);
  expect(of(quiet.session_id)).toMatchObject({ processes: 1 });
});

test('the status counts active sessions, and cleanup ends them', async () => {
  const { client, workspace } = await serveRuntime();
  await client.call('session.create', { kind: 'shell' });
  await client.call('session.create', { kind: 'pty', kill_grace_ms: 200 });
  const status = RUNTIME_METHODS['runtime.status'].result.parse(await client.call('runtime.status', {}));
  expect(status).toMatchObject({ healthy: true, workspace, sessions: { active: 2 } });
  expect(await client.call('runtime.cleanup', {})).toEqual({ sessions: 2, children: 0 });
  expect(await client.call('session.list', {})).toEqual({ sessions: [] });
});
