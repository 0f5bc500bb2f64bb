import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ByteRange } from '../../../src/protocol/index.ts';
import { fakeEngine } from '../../support/fake-engine.ts';
import { startService } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { finished, tachoCommand } from '../../support/tacho.ts';

test('a run started from the page survives a killed server, takes a reply there, and verifies', {
  timeout: 120_000,
}, async () => {
  const env = fakeEngine('codex', 'codex-asks.mjs');
  let service = await startService({ env });
  const studio = await openStudio(service, '/new');
  const { page } = studio;
  await page.getByRole('radio', { name: /codex/i }).check();
  await page.getByRole('textbox', { name: 'Request' }).fill('paint the door');
  await page.getByRole('radio', { name: /^Interactive/ }).check();
  await page.locator('input[type="file"]').setInputFiles({
    name: 'colours.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('red\nblue\n'),
  });
  await page.getByRole('button', { name: 'Start the run' }).click();
  await page.waitForURL(/\/runs\//);
  await page.locator('[data-pane="dock"]').getByText('Which colour?').waitFor();
  const { run_id } = await service.client.getRun(new URL(page.url()).pathname.split('/')[2]!);

  const given = path.join(service.home, 'runs', run_id, 'work', 'colours.txt');
  expect(fs.readFileSync(given, 'utf8')).toBe('red\nblue\n');
  await service.kill();
  await page.getByText(/Reconnecting…/).waitFor();
  service = await startService({ env, home: service.home, port: new URL(service.url).port });
  await page.getByText(/Reconnecting…/).waitFor({ state: 'detached' });
  await page.getByRole('textbox', { name: 'Your reply' }).fill('blue');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Run finished').waitFor();

  const message = service.events(run_id).findLast(({ event }) => event.type === 'agent.message.final')!;
  const range = message.raw_ref as ByteRange;
  await page.locator('[data-pane="conversation"] article').filter({ hasText: 'You said blue' }).click();
  await page.keyboard.press('r');
  const marked = page.locator('[data-pane="raw"] [data-mark="range"]');
  await marked.first().waitFor();
  const ends = () => marked.evaluateAll((all) => [all[0]?.dataset.from, all.at(-1)?.dataset.to].map(Number));
  await expect.poll(ends).toEqual([range.byte_from, range.byte_to]);
  expect(range.attempt_number).toBe(2);

  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('button', { name: /Intact/ }).waitFor();
  const tacho = (...words: string[]) =>
    finished(
      spawn(process.execPath, [tachoCommand, ...words, '--data', service.home], { env: { ...process.env, ...env } }),
    );
  expect((await tacho('verify', run_id)).code).toBe(0);
  expect((await tacho('reparse', run_id)).code).toBe(0);
  expect(studio.complaints.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
});
