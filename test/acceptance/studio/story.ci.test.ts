import { expect, test } from 'vitest';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { startService } from '../../support/service.ts';
import { copiedLink, expectQuiet, openStudio } from '../../support/studio.ts';

test('a user starts a demo run, answers it, watches it, rewinds it, finds its bytes and shares a link', {
  timeout: 120_000,
}, async () => {
  const service = await startService();
  const studio = await openStudio(service);
  const { page } = studio;
  await page.getByRole('button', { name: 'Start the demo' }).click();
  await page.waitForURL(/\/runs\//);
  const { run_id } = await service.client.getRun(new URL(page.url()).pathname.split('/')[2]!);

  const reply = page.getByRole('textbox', { name: 'Your reply' });
  await reply.fill('A quiet title');
  await page.keyboard.press('Control+Enter');
  const conversation = page.locator('[data-pane="conversation"]');
  await conversation.getByText('A quiet title').first().waitFor();
  await page.getByText('Run finished').waitFor();
  await conversation.getByText('Succeeded').waitFor();

  const events = service.events(run_id);
  const question = events.find(({ event }) => event.type === 'interaction.user_input.required')!;
  // Seek to the question through the events table; the terminal shows the output up to then.
  await page.getByRole('tab', { name: /^Events/ }).click();
  await page.getByRole('searchbox', { name: 'Filter events' }).fill('event:interaction.user_input.*');
  await page.locator('.events-rows [role="row"]').first().click();
  const terminal = page.locator('[data-pane="terminal"] .xterm-rows');
  const printed = async () => {
    const text = await terminal.textContent();
    return ['"question"', 'A quiet title'].filter((part) => text?.includes(part));
  };
  await expect.poll(printed).toEqual(['"question"']);
  await expect.poll(() => new URL(page.url()).searchParams.get('seq')).toBe(String(question.seq));

  const message = events.findLast(({ event }) => event.type === 'agent.message.final')!;
  const range = message.raw_ref as ByteRange;
  const row = conversation.locator('article').filter({ hasText: 'is finished' });
  await row.click();
  await row.getByRole('button', { name: 'Bytes' }).click();
  const marked = page.locator('[data-pane="raw"] [data-mark="range"]');
  await marked.first().waitFor();
  await expect.poll(() => marked.first().getAttribute('data-from')).toBe(String(range.byte_from));

  await page.getByRole('tab', { name: /^Files/ }).click();
  await page.locator('[data-pane="files"]').getByText('tacho-demo-report.md').first().click();
  await page.locator('[data-pane="files"]').getByText('A quiet title').first().waitFor();
  await page.keyboard.press('Escape');
  const link = await copiedLink(page, `${service.url}/runs/`);
  const second = await openStudio(service, link.slice(service.url.length));
  await second.page.locator('[data-pane="files"]').waitFor();
  await expect.poll(() => new URL(second.page.url()).search).toBe(new URL(link).search);
  expectQuiet(studio);
  expectQuiet(second);
});
