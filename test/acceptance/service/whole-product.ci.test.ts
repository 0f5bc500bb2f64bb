import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { startService, whenResting } from '../../support/service.ts';
import { finished, tachoCommand } from '../../support/tacho.ts';

test('a run with a question survives a killed server, takes a reply from the command line, verifies and reparses', async () => {
  const env = fakeEngine('codex', 'codex-asks.mjs');
  let service = await startService({ env });
  const { run_id } = await service.client.createRun({ engine: 'codex', prompt: 'paint the door', mode: 'interactive' });
  const asked = await whenResting(service.client, run_id);
  expect(asked).toMatchObject({ status: 'waiting_user', question: { prompt: 'Which colour?' } });
  await service.kill();
  service = await service.again();
  const tacho = (...words: string[]) =>
    finished(
      spawn(process.execPath, [tachoCommand, ...words], {
        env: { ...process.env, ...env, TACHO_HOME: service.home, NO_COLOR: '1' },
      }),
    );

  const reply = await tacho('reply', run_id, 'blue');
  expect(reply.code, reply.stderr).toBe(0);
  const ended = await whenResting(service.client, run_id);
  expect(ended).toMatchObject({ status: 'succeeded', attempt: 2, last: { reason_code: 'DONE_MARKER' } });
  expect((await tacho('verify', run_id)).code).toBe(0);
  expect((await tacho('reparse', run_id)).code).toBe(0);

  const message = service.events(run_id).findLast(({ event }) => event.type === 'agent.message.final')!;
  const { stream, attempt_number, byte_from, byte_to } = message.raw_ref as Exclude<
    typeof message.raw_ref,
    null | unknown[]
  >;
  const bytes = await service.client.raw(run_id, stream, attempt_number, { from: byte_from, to: byte_to });
  const { item } = JSON.parse(Buffer.from(bytes).toString()) as { item: { text: string } };
  expect(item.text).toBe((message.data as { text: string }).text);
});
