import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Service, startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio, type StudioPage } from '../../support/studio.ts';

const PRINTS = 'for i in $(seq 1 20); do echo "line $i"; echo "also $i" >&2; sleep 0.05; done';
/** Prints, waits for the file `go-on`, and prints again. */
const PRINTS_TWICE = `${PRINTS}; until [ -e go-on ]; do sleep 0.05; done; ${PRINTS}`;

function letContinue({ home }: Service, runId: string): void {
  fs.writeFileSync(path.join(home, 'runs', runId, 'work', 'go-on'), '');
}

/** The last seq in the status line. */
async function lastSeq({ page }: StudioPage): Promise<number> {
  const text = await page
    .locator('.status-line')
    .getByText(/^seq \d+$/)
    .textContent();
  return Number(text!.slice(4));
}

describe('a server killed and restarted while the page is open', () => {
  test('is shown as reconnecting, then followed again, with no event missing or duplicated', async () => {
    let service = await startService();
    const { port } = new URL(service.url);
    const { run_id } = await service.client.createRun({ command: ['sh', '-c', PRINTS_TWICE] });
    const studio = await openStudio(service, `/runs/${run_id}?tab=events`);
    await studio.page.getByText(/^● Live/).waitFor();
    await expect.poll(() => lastSeq(studio)).toBeGreaterThan(5);
    await service.kill();
    await studio.page.getByText(/Reconnecting… last seq \d+/).waitFor();
    service = await startService({ home: service.home, port });
    await studio.page.getByText(/^● Live/).waitFor();
    letContinue(service, run_id);
    await studio.page.getByText('Succeeded').first().waitFor();
    await whenResting(service.client, run_id);
    const events = service.events(run_id);
    await expect.poll(() => lastSeq(studio)).toBe(events.length);
    // Every event has one row: scroll through all of them.
    await studio.page.locator('[data-pane="events"] [role="grid"]').focus();
    const seen = new Set<string>();
    const twice: string[][] = [];
    // Rows are drawn some time after scrolling; the next pass sees those that were late.
    const scrollThrough = async () => {
      for (const share of [0, 0.2, 0.4, 0.6, 0.8, 1]) {
        await studio.page
          .locator('.events-scroll')
          .evaluate((list, at) => list.scrollTo(0, list.scrollHeight * at), share);
        await studio.page.waitForFunction(() => new Promise((resolve) => requestAnimationFrame(() => resolve(true))));
        const rows = await studio.page.locator('.events-rows [role="row"] .event-seq').allTextContents();
        if (new Set(rows).size < rows.length) twice.push(rows);
        for (const row of rows) seen.add(row.replace(/\D/g, ''));
      }
      return [...seen].map(Number).sort((one, other) => one - other);
    };
    await expect.poll(scrollThrough).toEqual(events.map(({ seq }) => seq));
    expect(twice).toEqual([]);
    // Browsers log an unreachable server themselves.
    expect(studio.complaints.filter((text) => !text.includes('net::ERR_'))).toEqual([]);
  });
});

test('does not claim to be live while backfilling', async () => {
  const service = await startService();
  const { run_id } = await service.client.createRun({ command: ['sh', '-c', `seq 1 3000; ${PRINTS_TWICE}`] });
  await expect.poll(() => service.events(run_id).length).toBeGreaterThan(10);
  const studio = await openStudio(service, '/approvals');
  // Delay the history: nothing arrives after its first frame until `release`.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await studio.page.route('**/events/stream*', async (route) => {
    await held;
    await route.continue();
  });
  await studio.page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, `/runs/${run_id}`);
  await studio.page.locator('[data-pane="conversation"]').waitFor();
  expect(await studio.page.getByText(/^● Live/).count()).toBe(0);
  expect(await studio.page.locator('.status-line').getByText('connected').count()).toBe(0);
  release();
  await studio.page.getByText(/^● Live/).waitFor();
  letContinue(service, run_id);
  await whenResting(service.client, run_id);
  expectQuiet(studio);
});
