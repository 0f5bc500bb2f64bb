import { expect, test } from 'vitest';
import { sharedService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio, sharedStudio } from '../../support/studio.ts';
import { until } from '../../support/tacho.ts';

const service = sharedService({ env: { TACHO_SERVICE_SLOTS: '2' } });
const open = sharedStudio(service);

/** A run that waits for an approval. */
async function runWithApproval() {
  const { run_id } = await service.client.createRun({
    engine: 'demo',
    prompt: 'approve',
    engine_args: ['--pace=0', '--approval-wait=600000'],
  });
  await until(() => service.record(run_id).status === 'waiting_approval');
  const pending = await service.client.approvals({ status: 'pending' });
  return { run_id, approval: pending.find((approval) => approval.run_id === run_id)! };
}

test('a decision made elsewhere appears on the card', async () => {
  const { run_id, approval } = await runWithApproval();
  const inRun = await open(`/runs/${run_id}`);
  const inQueue = await openStudio(service, '/approvals');
  for (const { page } of [inRun, inQueue]) await page.getByRole('button', { name: /^Allow once/ }).waitFor();
  await service.client.decide(approval.approval_id, { decision: 'denied', reason: 'not today' });
  for (const { page } of [inRun, inQueue])
    await page
      .getByText(/Denied/)
      .first()
      .waitFor();
  await inRun.page.getByRole('button', { name: /^Allow once/ }).waitFor({ state: 'detached' });
  await whenResting(service.client, run_id);
  expectQuiet(inRun);
  expectQuiet(inQueue);
});

test('approval can be read beside the conversation', async () => {
  const { run_id, approval } = await runWithApproval();
  const studio = await open(`/runs/${run_id}`);
  const { page } = studio;
  const dock = page.locator('[data-pane="dock"]');
  await dock.getByText(approval.summary).first().waitFor();
  // Nothing covers the page: the conversation can be read, scrolled and selected while the card waits.
  const row = page.locator('[data-pane="conversation"] article').first();
  await row.click();
  await page.getByRole('tab', { name: 'Event', exact: true }).click();
  await page.locator('[data-pane="event"] h3').waitFor();
  await dock.getByRole('button', { name: /^Allow once/ }).click();
  await page.locator('[data-pane="conversation"]').getByText('Allowed').first().waitFor();
  await page.getByText('Run finished').waitFor();
  const approved = await service.client.approvals({ status: 'approved' });
  expect(approved).toMatchObject([{ approval_id: approval.approval_id }]);
  expectQuiet(studio);
});

test('the queue is empty after the last decision, also while it is being reloaded', async () => {
  const { run_id } = await runWithApproval();
  const studio = await open('/approvals');
  const { page } = studio;
  const allow = page.getByRole('button', { name: /^Allow once/ });
  await allow.waitFor();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/approvals?*', async (route) => {
    await held;
    await route.continue();
  });
  await allow.click();
  await page.getByText('Nothing is waiting.').waitFor();
  release();
  await whenResting(service.client, run_id);
  await page.getByText('Nothing is waiting.').waitFor();
  await page.unrouteAll();
  expectQuiet(studio);
});

test('the queue page decides one approval after the other, and shows the preceding conversation', async () => {
  const first = await runWithApproval();
  const second = await runWithApproval();
  const studio = await open('/approvals');
  const { page } = studio;
  await page.getByRole('button', { name: /^Allow once/ }).click();
  await until(() => service.record(first.run_id).status !== 'waiting_approval');
  await page.getByRole('button', { name: /^Deny…/ }).click();
  await page.getByRole('textbox', { name: /Reason/ }).fill('not today');
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('Nothing is waiting.').waitFor();
  const all = await service.client.approvals({});
  expect(all.find(({ run_id }) => run_id === first.run_id)).toMatchObject({ status: 'approved' });
  expect(all.find(({ run_id }) => run_id === second.run_id)).toMatchObject({ status: 'denied', reason: 'not today' });
  for (const { run_id } of [first, second]) await whenResting(service.client, run_id);
  expectQuiet(studio);
});
