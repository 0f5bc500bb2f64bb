import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../../src/demo/index.ts';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { ENGINE_ENVIRONMENT } from '../../support/real-engine.ts';
import { startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio } from '../../support/studio.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer({ port: 0, host: '127.0.0.1', scenario: 'many' });
});
afterAll(() => model.close());

test('a codex run against the model server is shown call by call, down to its bytes', async () => {
  const service = await startService({ env: ENGINE_ENVIRONMENT });
  const { run_id } = await service.client.createRun({ engine: 'codex', prompt: 'do the task', base_url: model.url });
  const studio = await openStudio(service, `/runs/${run_id}`);
  const { page } = studio;
  expect(await whenResting(service.client, run_id)).toMatchObject({ status: 'succeeded' });
  await page.getByText('Run finished').waitFor();
  const calls = service.events(run_id).filter(({ event }) => event.type === 'tool.call.completed');
  expect(calls.length).toBe(10);
  const conversation = page.locator('[data-pane="conversation"]');
  await conversation.getByText('The task is complete.').waitFor();

  const message = service.events(run_id).findLast(({ event }) => event.type === 'agent.message.final')!;
  await conversation.locator('article').filter({ hasText: 'The task is complete.' }).click();
  await page.keyboard.press('r');
  const marked = page.locator('[data-pane="raw"] [data-mark="range"]');
  await marked.first().waitFor();
  expect(Number(await marked.first().getAttribute('data-from'))).toBe((message.raw_ref as ByteRange).byte_from);
  expectQuiet(studio);
});
