import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fakeEngineIn } from '../../support/fake-engine.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { removeFolder, until } from '../../support/tacho.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-asks-'));
afterAll(() => removeFolder(folder));
const engine = fakeEngineIn(folder, 'codex', 'codex-asks.mjs');
const service = sharedService({ env: { ...engine, TACHO_SERVICE_SLOTS: '1' } });

describe('a question waits for one reply, also across a server restart', () => {
  test('a question survives a restart, one reply wins, and a repeated reply gets the first answer', {
    timeout: 180_000,
  }, async () => {
    const { run_id } = await service.client.createRun({
      engine: 'codex',
      prompt: 'paint the door',
      mode: 'interactive',
    });
    const asked = await whenResting(service.client, run_id);
    expect(asked).toMatchObject({ status: 'waiting_user', attempt: 1 });
    await service.stop();
    await new Promise((resolve) => setTimeout(resolve, proofSize({ small: 0, full: 60_000 })));
    await service.again();
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

describe('a server killed while it accepts a reply', () => {
  const reply = { interaction_id: '1.1', text: 'blue', idempotency_key: 'one' };
  const digest = createHash('sha256')
    .update(JSON.stringify(['1.1', 'blue']))
    .digest('hex');
  const saidIn = (runId: string) =>
    service
      .events(runId)
      .filter(({ event }) => event.type === 'interaction.reply.accepted')
      .map(({ data }) => (data as { text: string }).text);

  async function waiting(): Promise<{ run_id: string; audit: string }> {
    const { run_id } = await service.client.createRun({ engine: 'codex', prompt: 'paint', mode: 'interactive' });
    await whenResting(service.client, run_id);
    await until(() => service.record(run_id).live === null);
    return { run_id, audit: path.join(service.home, 'runs', run_id, '.audit') };
  }

  test('before the events are stored: a repeated reply is accepted as new', async () => {
    const { run_id, audit } = await waiting();
    await service.kill();
    const accepted_at = '2026-11-15T08:00:00.000Z';
    const answer = { run_id, interaction_id: '1.1', attempt: 2, accepted_at };
    fs.writeFileSync(path.join(audit, 'replies.jsonl'), `${JSON.stringify({ key: 'one', digest, answer })}\n`);
    const { client } = await service.again();
    expect(await client.getRun(run_id)).toMatchObject({ status: 'waiting_user' });
    const accepted = await client.reply(run_id, reply);
    expect(accepted).toMatchObject({ run_id, attempt: 2 });
    expect(accepted.accepted_at).not.toBe(accepted_at);
    expect(await client.reply(run_id, reply)).toEqual(accepted);
    await expect(client.reply(run_id, { ...reply, text: 'red' })).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    expect(await whenResting(client, run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(await client.reply(run_id, reply)).toEqual(accepted);
    expect(saidIn(run_id)).toEqual(['paint', 'blue']);
  });

  test('before the events are stored, with the run canceled: a repeated reply is rejected with RUN_ENDED', async () => {
    const { run_id, audit } = await waiting();
    const answer = { run_id, interaction_id: '1.1', attempt: 2, accepted_at: '2026-11-15T08:00:00.000Z' };
    fs.writeFileSync(path.join(audit, 'replies.jsonl'), `${JSON.stringify({ key: 'one', digest, answer })}\n`);
    await service.client.cancel(run_id);
    await expect(service.client.reply(run_id, reply)).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  test('after the events are stored: the next server executes the reply once', async () => {
    const { run_id } = await waiting();
    // The only slot is taken, so the next attempt does not start: only the server has written to disk.
    const other = await service.client.createRun({ command: ['sleep', '423'] });
    await until(() => service.record(other.run_id).live?.child);
    const recordFile = path.join(service.home, 'runs', run_id, '.run.json');
    const before = fs.readFileSync(recordFile);
    const accepted = await service.client.reply(run_id, reply);
    await service.kill();
    fs.writeFileSync(recordFile, before);
    await service.again();
    expect(await service.client.getRun(run_id)).toMatchObject({ status: 'queued', question: null });
    expect(await service.client.reply(run_id, reply)).toEqual(accepted);
    await expect(service.client.reply(run_id, { ...reply, idempotency_key: 'two' })).rejects.toMatchObject({
      code: 'REPLY_STALE',
    });
    await service.client.cancel(other.run_id);
    expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(saidIn(run_id)).toEqual(['paint', 'blue']);
  });
});
