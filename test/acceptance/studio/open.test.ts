import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { startService, whenResting } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { finished, tachoCommand, temporaryFolder } from '../../support/tacho.ts';

/** Drops a file on the page, as from a file manager. */
async function drop(page: Page, file: string): Promise<void> {
  const content = fs.readFileSync(file).toString('base64');
  const transfer = await page.evaluateHandle(
    ({ content, name }) => {
      const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name, { type: 'application/zip' }));
      return transfer;
    },
    { content, name: path.basename(file) },
  );
  await page.dispatchEvent('main', 'dragover', { dataTransfer: transfer });
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer });
}

test('a run exported as zip opens in the page without a server; other files are rejected', async () => {
  const service = await startService();
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'hello', engine_args: ['--pace=0'] });
  await whenResting(service.client, run_id);
  const message = service.events(run_id).findLast(({ event }) => event.type === 'agent.message.final')!;
  const zip = path.join(temporaryFolder(), 'run.zip');
  const exported = await finished(
    spawn(process.execPath, [
      tachoCommand,
      'export',
      run_id,
      '--format',
      'zip',
      '--output',
      zip,
      '--data',
      service.home,
    ]),
  );
  expect(exported.code, exported.stderr).toBe(0);

  // A page without a token, whose server then goes away.
  const studio = await openStudio({ url: service.url, token: '' }, `/open?seq=${message.seq}&tab=raw`);
  const { page } = studio;
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  // By then the page has prefetched its panes, for exactly this case.
  await page.waitForFunction(() => {
    const fetched = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const names = ['events-pane', 'raw-pane', 'graph-pane', 'files-pane', 'diagnostics-pane', 'terminal-screen'];
    const isHere = (file: PerformanceResourceTiming) => file.responseEnd > 0;
    const scripts = names.every((name) =>
      fetched.some((file) => file.name.includes(`${name}-`) && file.name.endsWith('.js') && isHere(file)),
    );
    // A script runs only once its styles are loaded.
    const styles = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"], link[rel="modulepreload"]')];
    return scripts && styles.every(({ href }) => fetched.some((file) => file.name === href && isHere(file)));
  });
  await service.stop();
  const asked: string[] = [];
  page.on('request', (request) => {
    // The browser requests the tab's icon by itself, at any time.
    if (!/^blob:|\/icon\.svg$/.test(request.url())) asked.push(request.url());
  });
  const note = path.join(temporaryFolder(), 'note.zip');
  fs.writeFileSync(note, 'this is no archive');
  await drop(page, note);
  await page.getByText('This file is not a zip archive.').waitFor();
  await drop(page, zip);
  await page.locator('[data-pane="raw"] [data-mark="range"]').first().waitFor();
  await page.locator('[data-pane="conversation"]').getByText('is finished').first().waitFor();
  await expect.poll(() => page.locator('[data-pane="terminal"] .xterm-rows').textContent()).toContain('"type"');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).first().click();
  await page.getByText('Transcript (Markdown)').click();
  const transcript = fs.readFileSync(await (await saved).path(), 'utf8');
  expect(transcript).toMatch(/^# hello\n[\s\S]*\n> hello\n[\s\S]*is finished/);
  await page
    .getByRole('button', { name: 'Check the seal' })
    .or(page.getByRole('button', { name: 'Verify' }))
    .first()
    .click();
  await page
    .getByText(/Intact/)
    .first()
    .waitFor();
  expect(asked).toEqual([]);
  expect(studio.complaints.filter((text) => !text.includes('net::ERR_CONNECTION_REFUSED'))).toEqual([]);
});
