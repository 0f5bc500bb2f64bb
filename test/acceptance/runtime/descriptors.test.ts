import { expect, test } from 'vitest';
import { TachoError } from '../../../src/protocol/index.ts';
import { Daemon, makePlace } from '../failures/drive.ts';

test('a daemon that runs out of descriptors refuses new sessions, keeps existing ones, and recovers', async () => {
  const place = makePlace({ entry: ['bash', '-c', 'ulimit -n 80; exec "$@"', 'bash'] });
  const daemon = new Daemon(place);
  await daemon.warmUp();
  const { client, pid } = daemon;
  for (const record of [false, true]) {
    const sessions: string[] = [];
    let refusal: unknown = null;
    while (refusal === null && sessions.length < 80) {
      await client.call('session.create', { kind: 'pty', argv: ['cat'], record }).then(
        ({ session_id }) => sessions.push(session_id),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(sessions.length).toBeGreaterThan(0);
    expect(refusal).toBeInstanceOf(TachoError);
    expect(refusal).toMatchObject({ code: 'RESOURCE_PRESSURE', fix: expect.stringContaining('ulimit -n') });
    const [first] = sessions;
    await client.call('session.write', { session_id: first!, data: 'still here\r' });
    await expect
      .poll(async () => (await client.call('session.read', { session_id: first! })).data)
      .toContain('still here');
    for (const session_id of sessions) await client.call('session.destroy', { session_id });
    expect(await daemon.record({ kind: 'exec', argv: ['true'] })).toEqual({ errorCode: null });
    expect(daemon.pid).toBe(pid);
  }
});
