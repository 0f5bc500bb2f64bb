import fs from 'node:fs';
import path from 'node:path';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService, startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio } from '../../support/studio.ts';
import { temporaryFolder, until } from '../../support/tacho.ts';
import { daemonOf } from '../runtime/daemon.ts';

const service = sharedService({ env: { TACHO_SERVICE_SLOTS: '6' } });

interface Violation {
  id: string;
  impact: string;
  nodes: { target: unknown }[];
}

/** What axe calls serious or critical. It is put in by the debugger: the page itself would refuse it. */
async function violations(page: Page, rules: readonly string[] | null): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as { violations: Violation[] };
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${JSON.stringify(nodes.map(({ target }) => target))}`);
}

async function threeRuns() {
  const start = (prompt: string, mode: 'auto' | 'interactive') =>
    service.client.createRun({ engine: 'demo', prompt, mode, engine_args: ['--pace=0', '--approval-wait=200000'] });
  const [asks, failed, wants] = [
    await start('hello', 'interactive'),
    await start('fail', 'auto'),
    await start('approve', 'auto'),
  ];
  for (const { run_id } of [asks, failed]) await whenResting(service.client, run_id);
  await until(() => service.record(wants.run_id).status === 'waiting_approval');
  return { asks: asks.run_id, failed: failed.run_id, wants: wants.run_id };
}

test('the run can be followed with a screen reader', async () => {
  const { url, token, home, client } = await startService({ env: { TACHO_SERVICE_SLOTS: '1' } });
  // The run waits for the end of another one, so that it begins when the page follows it: only then there is news.
  const other = await client.createRun({ command: ['sh', '-c', 'until [ -e go-on ]; do sleep 0.05; done'] });
  const { run_id } = await client.createRun({
    engine: 'demo',
    prompt: 'hello',
    mode: 'interactive',
    engine_args: ['--pace=0'],
  });
  const studio = await openStudio({ url, token }, `/runs/${run_id}`);
  const { page } = studio;
  await page.locator('.status-line').getByText('connected').waitFor();
  fs.writeFileSync(path.join(home, 'runs', other.run_id, 'work', 'go-on'), '');
  const said = page.locator('[aria-live="polite"]');
  await expect.poll(async () => (await said.allTextContents()).join(' ')).toMatch(/\d+ new events?/);
  await expect
    .poll(async () => (await page.locator('.heard[role="alert"]').allTextContents()).join(' '))
    .toMatch(/Waiting for you/);
  // Texts of the run themselves are in no live region.
  const live = (await page.locator('[aria-live]').allTextContents()).join(' ');
  expect(live).not.toContain('tacho-demo-report');
  // Landmarks, each with its heading, and tabs that are tabs.
  for (const name of ['Conversation', 'Terminal', 'Decisions', 'Timeline']) {
    await page.getByRole('region', { name, exact: true }).waitFor({ state: 'attached' });
  }
  expect(await page.getByRole('slider', { name: 'Playhead' }).getAttribute('aria-valuetext')).toMatch(/second|minute/);
  await page.getByRole('textbox', { name: 'Your reply' }).fill('A title');
  await page.keyboard.press('Control+Enter');
  await expect
    .poll(async () => (await page.locator('.heard[role="alert"]').allTextContents()).join(' '))
    .toMatch(/ended: Succeeded/i);
  expectQuiet(studio);
});

/** A screen, a shell that printed to both streams, and one that has ended. */
async function threeTerminals(): Promise<string[]> {
  const { client, home } = service;
  const { workspace } = daemonOf(temporaryFolder(), { TACHO_HOME: home });
  const printing = 'printf "\\033[31mred\\033[0m \\033[2mdim\\033[0m\\n"';
  const pty = await client.terminals.create({ workspace, kind: 'pty', argv: ['sh', '-c', `${printing}; exec cat`] });
  const shell = await client.terminals.create({ workspace, kind: 'shell', name: 'build', record: true });
  await client.terminals.run(shell.terminal_id, { command: `${printing}; echo oops >&2; printf '\\033[2J'` });
  const ended = await client.terminals.create({ workspace, kind: 'exec', argv: ['false'] });
  return [pty, shell, ended].map(({ terminal_id }) => `/terminals/${terminal_id}`);
}

/** Shows, where it fails, what is on the page instead. */
async function threeRows(page: Page): Promise<void> {
  const shown = () => page.locator('main').textContent() as Promise<string>;
  await expect.poll(shown).toMatch(/cat[\s\S]*false|false[\s\S]*cat/);
  expect(await page.locator('tbody tr').count(), await shown()).toBeGreaterThan(2);
}

describe('axe-core finds no serious violation', () => {
  let runs: Awaited<ReturnType<typeof threeRuns>> | null = null;

  test.each(['light', 'dark'] as const)('on any page in the %s theme', { timeout: 240_000 }, async (colorScheme) => {
    runs ??= await threeRuns();
    const { asks, failed, wants } = runs;
    const terminals = await threeTerminals();
    const studio = await openStudio(service, '/', { colorScheme });
    const all = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];
    const everywhere = [
      '/',
      '/new',
      '/approvals',
      '/terminals',
      ...terminals,
      '/open',
      `/runs/${asks}`,
      `/runs/${wants}`,
    ];
    const tabs = (names: string[]) => names.map((tab) => `/runs/${failed}?tab=${tab}`);
    // Both themes are one page in other colours; in the small run the second one shows what has colours of its own.
    const some = ['/', terminals[1]!, `/runs/${wants}`, ...tabs(['raw', 'files'])];
    const whole = [...everywhere, ...tabs(all)];
    const addresses = colorScheme === 'light' ? whole : proofSize({ small: some, full: whole });
    const rules = colorScheme === 'light' ? null : proofSize({ small: ['color-contrast'], full: null });
    for (const address of addresses) {
      await studio.page.goto(`${service.url}${address}`);
      await studio.page.locator('main').waitFor();
      if (address.startsWith('/runs/')) {
        await studio.page
          .locator('.status-line')
          .getByText(/complete|connected/)
          .waitFor();
        await studio.page.locator('[role="tabpanel"] [data-pane]').waitFor();
      }
      if (address === '/terminals') await threeRows(studio.page);
      if (address.startsWith('/terminals/')) await studio.page.locator('.xterm-rows, .log-view').waitFor();
      expect(await violations(studio.page, rules), address).toEqual([]);
    }
    await studio.page.goto(`${service.url}/terminals`);
    await studio.page.getByRole('button', { name: 'New terminal' }).click();
    expect(await violations(studio.page, rules), 'new terminal').toEqual([]);
    const small = await openStudio(service, `/runs/${asks}`, { colorScheme, width: 390, height: 844 });
    await small.page.locator('.status-line, [role="tablist"]').first().waitFor();
    expect(await violations(small.page, rules), 'small').toEqual([]);
    await small.page.goto(`${service.url}/terminals`);
    await threeRows(small.page);
    expect(await violations(small.page, rules), 'small list').toEqual([]);
    expectQuiet(studio);
  });
});
