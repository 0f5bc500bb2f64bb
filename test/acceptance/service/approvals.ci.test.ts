import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sharedService, whenResting } from '../../support/service.ts';
import { until } from '../../support/tacho.ts';

const service = sharedService();
const approvalsOf = async (...runIds: string[]) =>
  (await service.client.approvals({})).filter(({ run_id }) => runIds.includes(run_id));
/** Resolves when the run has ended and its record is complete. */
async function sealed(runId: string): Promise<void> {
  await whenResting(service.client, runId);
  await service.client.result(runId);
}

test('lists a requested approval, keeps the first decision, and passes it to the program', async () => {
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'approve', engine_args: ['--pace=0'] });
  await until(() => service.record(run_id).status === 'waiting_approval');
  const pending = await service.client.approvals({ status: 'pending' });
  expect(pending).toMatchObject([{ run_id, status: 'pending' }]);
  const { approval_id } = pending[0]!;
  const [one, other] = await Promise.all([
    service.client.decide(approval_id, { decision: 'approved' }),
    service.client.decide(approval_id, { decision: 'denied' }),
  ]);
  expect(one.status).toBe(other.status);
  expect(await whenResting(service.client, run_id)).toMatchObject({ attempt: 1 });
  const decided = service.events(run_id).filter(({ event }) => event.type === 'interaction.approval.decided');
  expect(decided.map(({ data }) => (data as { decision: string }).decision)).toEqual([one.status]);
  const statuses = service
    .events(run_id)
    .flatMap(({ event, data, source }) =>
      event.type === 'lifecycle.run.status' && source.stream === null ? [(data as { status: string }).status] : [],
    );
  expect(statuses.slice(0, 4)).toEqual(['queued', 'running', 'waiting_approval', 'running']);
  await expect(service.client.decide('no-such', { decision: 'approved' })).rejects.toMatchObject({
    code: 'APPROVAL_NOT_FOUND',
  });
});

test('an approval still open when its run ends expires, and stays expired', async () => {
  const ask = async () => {
    const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'approve', engine_args: ['--pace=0'] });
    await until(() => service.record(run_id).status === 'waiting_approval');
    const asked = (await service.client.approvals({ status: 'pending' })).find(
      (approval) => approval.run_id === run_id,
    );
    return { run_id, approval_id: asked!.approval_id };
  };
  const canceled = await ask();
  await service.client.cancel(canceled.run_id);
  const killed = await ask();
  process.kill(service.record(killed.run_id).live!.supervisor.pid, 'SIGKILL');
  for (const { run_id, approval_id } of [canceled, killed]) {
    // Approvals expire with the seal, shortly after the last event.
    await sealed(run_id);
    const late = await service.client.decide(approval_id, { decision: 'approved' });
    expect(late).toMatchObject({ run_id, status: 'expired', reason: null });
    expect(late.decided_at).not.toBeNull();
  }
  expect(await service.client.approvals({ status: 'pending' })).toEqual([]);
  expect((await approvalsOf(canceled.run_id, killed.run_id)).map(({ status }) => status)).toEqual([
    'expired',
    'expired',
  ]);
});

test('an approval outlives the attempt that stopped waiting for it, and a text reply decides it', async () => {
  const { run_id } = await service.client.createRun({
    engine: 'demo',
    prompt: 'approve',
    mode: 'interactive',
    engine_args: ['--pace=0', '--approval-wait=100'],
  });
  const { question } = await whenResting(service.client, run_id);
  expect(await service.client.approvals({ status: 'pending' })).toMatchObject([{ run_id }]);
  await service.client.reply(run_id, { interaction_id: question!.interaction_id, text: 'yes' });
  await until(() => service.record(run_id).status === 'succeeded');
  await sealed(run_id);
  expect(await approvalsOf(run_id)).toMatchObject([{ status: 'approved' }]);
});

test('a decision made after the program stopped waiting starts the next attempt, also after a restart', async () => {
  const ask = async () => {
    const { run_id } = await service.client.createRun({
      engine: 'demo',
      prompt: 'approve',
      mode: 'interactive',
      engine_args: ['--pace=0', '--approval-wait=100'],
    });
    expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'waiting_user', attempt: 1 });
    const asked = (await service.client.approvals({ status: 'pending' })).find((one) => one.run_id === run_id)!;
    return { run_id, approval_id: asked.approval_id };
  };
  const first = await ask();
  await service.client.decide(first.approval_id, { decision: 'denied' });
  await until(() => service.record(first.run_id).attempt === 2);
  const second = await ask();
  await service.kill();
  // The decision is on disk, but no server has acted on it.
  fs.writeFileSync(
    path.join(service.home, 'approvals', `${second.approval_id}.decision.json`),
    JSON.stringify({ status: 'approved', decided_at: new Date().toISOString(), reason: null }),
  );
  await service.again();
  await until(() => service.record(second.run_id).attempt === 2);
  for (const { run_id } of [first, second]) await whenResting(service.client, run_id);
  const replies = (runId: string) =>
    service
      .events(runId)
      .flatMap(({ event, data }) =>
        event.type === 'interaction.reply.accepted' ? [(data as { text: string }).text] : [],
      );
  expect([replies(first.run_id), replies(second.run_id)]).toEqual([
    ['approve', 'no'],
    ['approve', 'yes'],
  ]);
});
