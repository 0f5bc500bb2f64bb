import { expect, test } from 'vitest';
import { startService, whenResting } from '../../support/service.ts';
import { until } from '../../support/tacho.ts';

test('what a program asks to be allowed is listed, the first decision counts, and the program hears of it', async () => {
  const service = await startService();
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'approve' });
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
