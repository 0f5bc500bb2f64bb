import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { KEYS } from '../../../studio/keyboard.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { expectQuiet, sharedStudio, visit } from '../../support/studio.ts';
import { temporaryFolder } from '../../support/tacho.ts';
import { daemonOf } from '../runtime/daemon.ts';

// test/studio/keyboard.test.ts tests what each key does; this file tests that keys reach the panes of a real page.
const service = sharedService();
const open = sharedStudio(service);

async function demoRun(prompt: string, mode: 'auto' | 'interactive' = 'auto'): Promise<string> {
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt, mode, engine_args: ['--pace=0'] });
  await whenResting(service.client, run_id);
  return run_id;
}

let failed: Promise<string> | null = null;

/** Shared by tests that only read it. */
function failedRun(): Promise<string> {
  failed ??= demoRun('fail');
  return failed;
}

const inAddress = (name: string) => async (page: Page) => new URL(page.url()).searchParams.get(name);
const playhead = (page: Page) => page.getByRole('slider', { name: 'Playhead' }).getAttribute('aria-valuenow');
const speed = (page: Page) => page.getByRole('combobox', { name: 'Speed' }).inputValue();
const shownTab = (page: Page) => page.getByRole('tab', { selected: true }).getAttribute('data-tab');
const dialogs = (page: Page) => page.getByRole('dialog').count();
const sees = (pane: string) => (page: Page) => page.locator(`[data-pane="${pane}"]`).isVisible();
const focusedPane = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane ?? null);
const focusedBox = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('type') ?? '');
const focusedRows = (page: Page) => page.locator('[data-row]:focus').count();
const takesKeys = (page: Page) => page.getByText('Your keys go to the program.').count();

/**
 * Presses keys and waits until `shows` returns `becomes` or, without it, any other value. A sequence of two keys is
 * retried, because it may be too slow the first time; repeating it has the same effect.
 */
async function press(page: Page, keys: string, shows: (page: Page) => Promise<unknown>, becomes?: unknown) {
  const was = await shows(page);
  const inRow = keys.split(' ');
  const pressAll = async () => {
    for (const key of inRow) await page.keyboard.press(key);
  };
  if (inRow.length === 1) await pressAll();
  const look = async () => {
    if (inRow.length > 1) await pressAll();
    return await shows(page);
  };
  const shown = expect.poll(look, { message: keys });
  await (becomes === undefined ? shown.not.toEqual(was) : shown.toEqual(becomes));
}

test('keys move through a run, its rows, tabs and panes', async () => {
  const studio = await open(`/runs/${await failedRun()}`);
  const { page } = studio;
  await page.locator('.status-line').getByText('complete').waitFor();
  const rows = page.locator('[data-pane="conversation"] article');
  await rows.first().waitFor();

  await press(page, '?', dialogs, 1);
  const listed = await page.getByRole('dialog').locator('kbd').allTextContents();
  expect(listed.length).toBeGreaterThanOrEqual(KEYS.length);
  await press(page, 'Escape', dialogs, 0);
  await press(page, 'Control+g', dialogs, 1);
  await press(page, 'Escape', dialogs, 0);

  await press(page, '9', playhead);
  await press(page, 'ArrowLeft', playhead);
  await press(page, '0', playhead, '0');
  await press(page, ']', playhead);
  await press(page, '>', speed);

  await rows.nth(2).click();
  await press(page, 'g g', inAddress('seq'));
  await press(page, 'j', inAddress('seq'));
  await press(page, 'G', inAddress('seq'));
  await press(page, 'm', sees('terminal'), false);
  await press(page, 'm', sees('terminal'), true);

  await press(page, 'r', shownTab, 'raw');
  await press(page, 'e', shownTab, 'event');
  await press(page, 'x', shownTab, 'graph');
  await press(page, 'D', shownTab, 'diagnostics');
  await press(page, 'Alt+2', shownTab, 'events');
  await page.locator('[data-pane="events"]').focus();
  await press(page, '/', focusedBox, 'search');
  await press(page, 'F6', focusedPane);

  await page.locator('[data-pane="conversation"]').focus();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await press(page, 'y', () => page.evaluate(() => navigator.clipboard.readText()));
  expectQuiet(studio);
});

test('each page of terminals lists its keys, and a screen takes and gives back the keyboard', async () => {
  const { workspace } = daemonOf(temporaryFolder(), { TACHO_HOME: service.home });
  const [exec, pty] = await Promise.all(
    (['exec', 'pty'] as const).map((kind) =>
      service.client.terminals.create({ workspace, kind, name: kind, argv: ['sh', '-c', 'seq 1 300; exec cat'] }),
    ),
  );
  const studio = await open('/terminals');
  const { page } = studio;
  const pages = [
    { address: '/terminals', ready: 'tbody tr:nth-child(2)', keys: ['/', 'j', 'k', 'g g', 'G', 'Enter', '?', 'Esc'] },
    {
      address: `/terminals/${pty!.terminal_id}`,
      ready: '.terminal-typing',
      keys: ['Ctrl+Shift+Enter', 'Ctrl+Shift+Esc', '/', 'n', 'N', 'p', '?', 'Esc'],
    },
    { address: `/terminals/${exec!.terminal_id}`, ready: '.log-line', keys: ['g g', 'G', '?', 'Esc'] },
  ];
  for (const { address, ready, keys } of pages) {
    await visit(page, address);
    await page.locator(ready).first().waitFor();
    await press(page, '?', dialogs, 1);
    const listed = await page.getByRole('dialog').locator('kbd').allTextContents();
    expect(listed.sort(), address).toEqual(keys.sort());
    await press(page, 'Escape', dialogs, 0);
  }
  const logAt = () => page.locator('.log-view').evaluate(({ scrollTop }) => Math.sign(scrollTop));
  await press(page, 'g g', logAt, 0);
  await press(page, 'G', logAt, 1);

  await visit(page, pages[1]!.address);
  await page.locator('.xterm-rows').getByText('289').waitFor();
  await press(page, 'Control+Shift+Enter', takesKeys, 1);
  await press(page, 'Control+Shift+Escape', takesKeys, 0);
  await press(page, '/', focusedBox, 'search');
  await page.keyboard.type('28');
  const found = () => page.locator('.terminal-find output').textContent();
  await expect.poll(found).toMatch(/\d/);
  await page.locator('[data-pane="terminal"]').focus();
  await press(page, 'n', found);
  expectQuiet(studio);
});

test('a reply is sent with the keyboard only', async () => {
  const run_id = await demoRun('hello', 'interactive');
  const studio = await open();
  const { page } = studio;
  await page.getByText('Waiting for you').first().waitFor();
  await press(page, 'j', focusedRows, 1);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\//);
  await page.getByText('The run asks').waitFor();
  await press(page, 'a', (page) => page.locator('textarea:focus').count(), 1);
  await page.keyboard.type('A quiet title');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Run finished').waitFor();
  await expect.poll(() => service.client.getRun(run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  expectQuiet(studio);
});

test('at 200 % zoom nothing scrolls sideways, and nothing is animated', async () => {
  const run_id = await failedRun();
  // Half the pixels of a usual window, as at 200 % zoom.
  const studio = await open();
  await studio.page.setViewportSize({ width: 720, height: 450 });
  for (const address of ['/', `/runs/${run_id}`, '/approvals', '/terminals', '/open', '/new']) {
    await visit(studio.page, address);
    const { wide, seen } = await studio.page.evaluate(() => ({
      wide: document.documentElement.scrollWidth,
      seen: innerWidth,
    }));
    expect(wide, address).toBeLessThanOrEqual(seen);
  }
  const moving = await studio.page.evaluate(
    () => document.getAnimations().filter(({ playState }) => playState === 'running').length,
  );
  expect(moving).toBe(0);
  expectQuiet(studio);
});
