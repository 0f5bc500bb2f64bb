import path from 'node:path';
import { expect, test } from 'vitest';
import { withPlaces } from '../acceptance/runtime/places.ts';
import { expectRefusals, lostConnectionLaws, targetLaws } from '../acceptance/runtime/target-laws.ts';

const places = withPlaces({ container: true });

targetLaws(places, 'container:box-1');
lostConnectionLaws(places, 'container');

test('a command in a container keeps running when the connecting process is killed', async () => {
  const { client, container } = places;
  const target = 'container:box-1';
  const { session_id } = await client.call('session.create', { target });
  const running = client.call('exec.run', { session_id, command: 'echo begun; read line; echo "got $line"' });
  const read = await client.call('session.read', { session_id, wait_ms: 20_000 });
  expect(read.data).toBe('begun\n');
  container.inside(container.settings.container, 'pkill', '-KILL', '-f', 'runtime --stdio');
  await client.call('session.write', { session_id, data: 'it\n', write_id: 'w1' });
  expect((await running).stdout.data).toBe('begun\ngot it\n');
});

test('an unreachable target is reported, and does not delay queries about all targets', async () => {
  const { here, container } = places;
  const name = container.startAnother();
  const box = { ...container.settings, container: name, program: 'tacho-not-there', workspace: '/work' };
  const client = here({ container: { gone: box } });
  const target = 'container:gone';
  const { session_id } = await client.call('session.create', { target });
  expect((await client.call('runtime.status', {})).targets).toEqual([{ target, connected: true, why: null }]);
  container.remove(name);
  const [{ targets }, { sessions }, stats] = await Promise.all([
    client.call('runtime.status', {}),
    client.call('session.list', {}),
    client.call('system.stats', {}),
  ]);
  expect(targets).toEqual([{ target, connected: false, why: `there is no container ${name}` }]);
  expect([sessions, stats.sessions]).toEqual([[], []]);
  const refused = { code: 'NOT_FOUND', message: `there is no container ${name}` };
  await expect(client.call('session.info', { session_id })).rejects.toMatchObject(refused);
});

test('a stopped, missing or unreachable container is refused at once', async () => {
  const { here, container, folder } = places;
  const box = { ...container.settings, program: 'tacho-not-there' };
  const stopped = container.createAnother();
  const client = here({
    container: {
      stopped: { ...box, container: stopped },
      none: { ...box, container: 'tacho-no-such-container' },
      unreachable: { ...box, socket: path.join(folder, 'no.sock') },
    },
  });
  await expectRefusals(client, [
    ['container:stopped', new RegExp(`^TARGET_UNREACHABLE: container:stopped: the container ${stopped} does not run$`)],
    ['container:none', /^NOT_FOUND: there is no container tacho-no-such-container$/],
    [
      'container:unreachable',
      /^TARGET_UNREACHABLE: container:unreachable: the container .* cannot be reached: connect ENOENT/,
    ],
  ]);
  expect((await client.call('runtime.status', {})).targets).toEqual([]);
});
