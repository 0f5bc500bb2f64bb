import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { runFolderAt, zipRun } from '../../../src/recording/index.ts';
import { makeNewer } from '../../support/newer-record.ts';
import { startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio } from '../../support/studio.ts';
import { temporaryFolder, until } from '../../support/tacho.ts';

const NOTICE = 'Made by a newer version of tacho (tacho-run/9); shown as far as possible.';
const TABS = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];

/** The run is shown in all panes, with the unknown events among the others. */
async function expectShown(page: Page): Promise<void> {
  await page.getByText(NOTICE).waitFor();
  await page.locator('[data-pane="conversation"]').getByText('is finished').first().waitFor();
  const events = page.locator('[data-pane="events"]');
  await events.getByText('telepathy.started').first().waitFor();
  await events.getByText('telepathy.started').first().click();
}

test('a run of a newer tacho version is shown in every pane, from a server and from an archive', async () => {
  const service = await startService();
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'hello', engine_args: ['--pace=0'] });
  await whenResting(service.client, run_id);
  const folder = runFolderAt(path.join(service.home, 'runs', run_id));
  // The recorder's last write comes after the seal.
  await until(() => service.record(run_id).live === null);
  makeNewer(folder, { chunks: true });

  const studio = await openStudio(service, `/runs/${run_id}?tab=events`);
  await expectShown(studio.page);
  for (const tab of TABS) {
    await studio.page.goto(`${service.url}/runs/${run_id}?tab=${tab}`);
    await studio.page.locator(`[data-pane="${tab}"]`).first().waitFor();
  }
  // The server refuses the unknown format of the chunk index, and says so.
  expect(studio.complaints.filter((text) => !text.includes('422'))).toEqual([]);

  const zip = path.join(temporaryFolder(), 'run.zip');
  fs.writeFileSync(zip, Buffer.concat(await (await zipRun(folder)).toArray()));
  const opened = await openStudio({ url: service.url, token: '' }, '/open?tab=events');
  const chosen = opened.page.waitForEvent('filechooser');
  await opened.page.getByRole('button', { name: 'Choose a file' }).click();
  await (await chosen).setFiles(zip);
  await expectShown(opened.page);
  await opened.page.getByRole('button', { name: 'Check the seal' }).first().click();
  await opened.page.getByText('made by a newer version of tacho (tacho-seal/9)').first().waitFor();
  expectQuiet(opened);
});
