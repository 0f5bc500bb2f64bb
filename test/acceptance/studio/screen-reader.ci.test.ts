import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type AxeScope, violations } from '../../support/axe.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { expectQuiet, sharedStudio, visit } from '../../support/studio.ts';
import { temporaryFolder, until } from '../../support/tacho.ts';
import { daemonOf } from '../runtime/daemon.ts';

// One slot: the second run waits for the first.
const service = sharedService({ env: { TACHO_SERVICE_SLOTS: '1' } });
const open = sharedStudio(service);

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
  const { home, client } = service;
  // The run waits for another one, so that it starts while the page follows it: only then are events announced.
  const other = await client.createRun({ command: ['sh', '-c', 'until [ -e go-on ]; do sleep 0.05; done'] });
  const { run_id } = await client.createRun({
    engine: 'demo',
    prompt: 'hello',
    mode: 'interactive',
    engine_args: ['--pace=0'],
  });
  const studio = await open(`/runs/${run_id}`);
  const { page } = studio;
  await page.locator('.status-line').getByText('connected').waitFor();
  fs.writeFileSync(path.join(home, 'runs', other.run_id, 'work', 'go-on'), '');
  const said = page.locator('[aria-live="polite"]');
  await expect.poll(async () => (await said.allTextContents()).join(' ')).toMatch(/\d+ new events?/);
  await expect
    .poll(async () => (await page.locator('.heard[role="alert"]').allTextContents()).join(' '))
    .toMatch(/Waiting for you/);
  // Live regions contain no text of the run itself.
  const live = (await page.locator('[aria-live]').allTextContents()).join(' ');
  expect(live).not.toContain('tacho-demo-report');
  // Landmarks, each with its name.
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

/** A screen, a shell that printed to both streams, and an ended terminal. */
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

/** On failure it shows the text of the page. */
async function threeRows(page: Page): Promise<void> {
  const shown = () => page.locator('main').textContent() as Promise<string>;
  await expect.poll(shown).toMatch(/cat[\s\S]*false|false[\s\S]*cat/);
  expect(await page.locator('tbody tr').count(), await shown()).toBeGreaterThan(2);
}

/** Draws the page and its screens in the given theme. */
async function switchTheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const nextFrame = () => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  await nextFrame();
  await nextFrame();
}

test('axe-core finds no serious violation on any page in either theme', { timeout: 240_000 }, async () => {
  const { asks, failed, wants } = await threeRuns();
  const terminals = await threeTerminals();
  const studio = await open();
  const { page } = studio;
  // At the small size, parts shared with an earlier page are not checked again.
  const only = (part: string): AxeScope => proofSize({ small: { part }, full: {} });
  const pages: { address: string; look?: AxeScope; hasColours?: boolean }[] = [
    { address: '/', hasColours: true },
    { address: '/new' },
    { address: '/approvals' },
    { address: '/terminals' },
    ...terminals.map((address, which) => ({ address, hasColours: which === 1 })),
    { address: '/open' },
    { address: `/runs/${asks}` },
    { address: `/runs/${wants}`, look: only('[data-pane="dock"]'), hasColours: true },
    { address: `/runs/${failed}?tab=event` },
    ...['events', 'raw', 'graph', 'files', 'diagnostics'].map((tab) => ({
      address: `/runs/${failed}?tab=${tab}`,
      look: only('[role="tabpanel"]'),
      hasColours: tab === 'raw' || tab === 'files',
    })),
  ];
  const inBoth = async (name: string, look: AxeScope, { hasColours }: { hasColours: boolean }) => {
    expect(await violations(page, look), name).toEqual([]);
    // The themes differ only in colours; at the small size only pages with their own colours are checked in both.
    if (!proofSize({ small: hasColours, full: true })) return;
    await switchTheme(page, 'dark');
    const inDark = proofSize({ small: { ...look, rules: ['color-contrast'] }, full: look });
    expect(await violations(page, inDark), `${name} in the dark`).toEqual([]);
    await switchTheme(page, 'light');
  };
  for (const { address, look = {}, hasColours = false } of pages) {
    await visit(page, address);
    if (address.startsWith('/runs/')) {
      await page
        .locator('.status-line')
        .getByText(/complete|connected/)
        .waitFor();
      const tab = new URL(address, service.url).searchParams.get('tab');
      await page.locator(`[role="tabpanel"] [data-pane${tab === null ? '' : `="${tab}"`}]`).waitFor();
    }
    if (address === `/runs/${wants}`) await page.getByRole('button', { name: /^Allow once/ }).waitFor();
    if (address === '/terminals') await threeRows(page);
    if (address.startsWith('/terminals/')) await page.locator('.xterm-rows, .log-view').waitFor();
    await inBoth(address, look, { hasColours });
  }
  await visit(page, '/terminals');
  await page.getByRole('button', { name: 'New terminal' }).click();
  await inBoth('new terminal', only('dialog'), { hasColours: true });
  await page.keyboard.press('Escape');
  await visit(page, '/');
  await page.setViewportSize({ width: 390, height: 844 });
  await visit(page, `/runs/${asks}`);
  await page.locator('.status-line, [role="tablist"]').first().waitFor();
  await inBoth('small', {}, { hasColours: false });
  await visit(page, '/terminals');
  await threeRows(page);
  await inBoth('small list', {}, { hasColours: false });
  expectQuiet(studio);
});
