import { describe, expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { startService, whenResting } from '../../support/service.ts';

describe('Interactive: question → `waiting_user` → reply a minute and a server restart later → attempt 2 → completed. Two replies at the same instant: one wins, the other gets 409. Same idempotency key twice: same answer.', () => {
  test('a question waits over a restart, one reply wins, and a repeated one gets the first answer', {
    timeout: 180_000,
  }, async () => {
    let service = await startService({ env: fakeEngine('codex', 'codex-asks.mjs') });
    const { run_id } = await service.client.createRun({
      engine: 'codex',
      prompt: 'paint the door',
      mode: 'interactive',
    });
    const asked = await whenResting(service.client, run_id);
    expect(asked).toMatchObject({ status: 'waiting_user', attempt: 1 });
    await service.stop();
    await new Promise((resolve) => setTimeout(resolve, proofSize({ small: 0, full: 60_000 })));
    service = await service.again();
    expect(await service.client.getRun(run_id)).toMatchObject({ status: 'waiting_user', question: asked.question });

    const { interaction_id } = asked.question!;
    const send = (text: string, idempotency_key: string) =>
      fetch(`${service.url}/v1/runs/${run_id}/reply`, {
        method: 'POST',
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ interaction_id, text, idempotency_key }),
      });
    const answers = await Promise.all([send('blue', 'one'), send('red', 'two')]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers[0]!.status === 200 ? (['blue', 'one'] as const) : (['red', 'two'] as const);
    const first = await answers.find(({ status }) => status === 200)!.json();
    const again = await send(winner[0], winner[1]);
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(first);
    expect((await send('green', winner[1])).status).toBe(409);

    expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    const said = service.events(run_id).filter(({ event }) => event.type === 'interaction.reply.accepted');
    expect(said.map(({ data }) => (data as { text: string }).text)).toEqual(['paint the door', winner[0]]);
    expect((await send('late', 'three')).status).toBe(409);
  });
});
