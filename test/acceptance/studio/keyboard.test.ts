import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TerminalView } from '../../../src/protocol/index.ts';
import { type Action, KEYS } from '../../../studio/keyboard.ts';
import { type Service, startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio } from '../../support/studio.ts';
import { temporaryFolder, until } from '../../support/tacho.ts';
import { daemonOf } from '../runtime/daemon.ts';

/** What a key is tried on, and how it shows that it did something. `press` presses the first key of the action. */
interface Trial {
  /** On the page of a terminal instead of a run. */
  isTerminal?: true;
  address?: string;
  before?(page: Page): Promise<unknown>;
  /** Something on the screen that has to be otherwise after the key. */
  shows(page: Page): Promise<unknown>;
  /** Where the change is known beforehand. */
  becomes?: unknown;
}

const inAddress = (name: string) => async (page: Page) => new URL(page.url()).searchParams.get(name);
const playhead = (page: Page) => page.getByRole('slider', { name: 'Playhead' }).getAttribute('aria-valuenow');
const focusedPane = (page: Page) =>
  page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane ?? null);
const shownTab = (page: Page) => page.getByRole('tab', { selected: true }).getAttribute('data-tab');
const dialogs = (page: Page) => page.getByRole('dialog').count();
const inPane = (name: string) => (page: Page) => page.locator(`[data-pane="${name}"]`).focus();
const pressed = (key: string) => (page: Page) => page.keyboard.press(key);
const inRows = async (page: Page) => {
  await page.locator('[data-pane="conversation"] article').nth(2).click();
};

const firstRow = async (page: Page) => {
  await page.locator('[data-pane="conversation"] article').first().click();
};

const TRIALS: Record<Action, Trial> = {
  play: { before: pressed('0'), shows: (page) => page.getByRole('button', { name: /^Pause/ }).count(), becomes: 1 },
  back: { before: pressed('9'), shows: playhead },
  on: { before: pressed('0'), shows: playhead },
  'far-back': { before: pressed('9'), shows: playhead },
  'far-on': { before: pressed('0'), shows: playhead },
  'previous-frame': { before: pressed('9'), shows: playhead },
  'next-frame': { before: pressed('2'), shows: playhead },
  'previous-mark': { before: pressed('5'), shows: playhead },
  'next-mark': { before: pressed('2'), shows: playhead },
  'to-tenth': { before: pressed('7'), shows: playhead, becomes: '0' },
  live: { before: pressed('2'), shows: playhead },
  slower: { shows: (page) => page.getByRole('combobox', { name: 'Speed' }).inputValue() },
  faster: { shows: (page) => page.getByRole('combobox', { name: 'Speed' }).inputValue() },
  'clear-window': { address: '?from=0&to=100', shows: inAddress('from'), becomes: null },
  search: {
    address: '?tab=events',
    before: inPane('events'),
    shows: (page) => page.evaluate(() => document.activeElement?.getAttribute('type')),
    becomes: 'search',
  },
  'go-to': { shows: dialogs, becomes: 1 },
  tab: { address: '?tab=raw', shows: shownTab, becomes: 'event' },
  'next-pane': { before: inPane('conversation'), shows: focusedPane },
  'previous-pane': { before: inPane('conversation'), shows: focusedPane },
  maximize: {
    before: inPane('conversation'),
    shows: (page) => page.locator('[data-pane="terminal"]').isVisible(),
    becomes: false,
  },
  'next-row': { before: inRows, shows: inAddress('seq') },
  'previous-row': { before: inRows, shows: inAddress('seq') },
  'next-turn': { before: firstRow, shows: inAddress('seq') },
  'previous-turn': { shows: inAddress('seq') },
  first: { before: inRows, shows: inAddress('seq') },
  last: { before: inRows, shows: inAddress('seq') },
  open: { address: '?tab=events&q=event:tool.*', before: toolEvent, shows: inAddress('to') },
  raw: { shows: shownTab, becomes: 'raw' },
  event: { address: '?tab=events', shows: shownTab, becomes: 'event' },
  conversation: {
    address: '?seq=9&tab=events',
    before: inPane('events'),
    shows: focusedPane,
    becomes: 'conversation',
  },
  graph: { shows: shownTab, becomes: 'graph' },
  'next-diagnostic': { address: '?t=0&tab=event', shows: inAddress('seq') },
  diagnostics: { shows: shownTab, becomes: 'diagnostics' },
  dock: { before: inPane('conversation'), shows: focusedPane, becomes: 'dock' },
  send: {
    before: (page) => page.getByRole('textbox', { name: 'Your reply' }).fill('A title'),
    shows: (page) => page.getByText(/Attempt 2/).count(),
  },
  deny: {
    before: inPane('dock'),
    shows: (page) => page.getByRole('textbox', { name: /Reason/ }).count(),
    becomes: 1,
  },
  'next-match': { address: '?tab=raw', before: searchedRaw, shows: found },
  'previous-match': { address: '?tab=raw', before: searchedRaw, shows: found },
  stdin: {
    shows: (page) => page.getByRole('button', { name: /^Show what was typed/ }).getAttribute('aria-pressed'),
    becomes: 'true',
  },
  type: { isTerminal: true, shows: takesKeys, becomes: 1 },
  'stop-typing': { isTerminal: true, before: pressed('Control+Shift+Enter'), shows: takesKeys, becomes: 0 },
  'copy-link': {
    before: (page) => page.evaluate(() => navigator.clipboard.writeText('')),
    shows: (page) => page.evaluate(() => navigator.clipboard.readText()),
  },
  help: { shows: dialogs, becomes: 1 },
  escape: { before: pressed('?'), shows: dialogs, becomes: 0 },
};

async function toolEvent(page: Page): Promise<void> {
  await page.locator('.events-rows [role="row"]').first().click();
}

async function searchedRaw(page: Page): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search the whole stream' }).fill('type');
  await page.keyboard.press('Enter');
  await expect.poll(() => found(page)).toMatch(/\d/);
  await page.locator('[data-pane="raw"] .raw-view').focus();
}

function found(page: Page): Promise<string | null> {
  return page.locator('[data-pane="raw"] search [role="status"]').textContent();
}

function takesKeys(page: Page): Promise<number> {
  return page.getByText('Your keys go to the program.').count();
}

/** A terminal that goes on until the test is over. */
async function openTerminal(
  { client, home }: Service,
  kind: 'pty' | 'exec',
  name: string,
  { workspace } = daemonOf(temporaryFolder(), { TACHO_HOME: home }),
): Promise<TerminalView> {
  return client.terminals.create({ workspace, kind, name, argv: ['sh', '-c', 'seq 1 300; exec cat'] });
}

test('every shortcut in the help works', { timeout: 240_000 }, async () => {
  const service = await startService({ env: { TACHO_SERVICE_SLOTS: '4' } });
  const start = (prompt: string, mode: 'auto' | 'interactive') =>
    service.client.createRun({ engine: 'demo', prompt, mode, engine_args: ['--pace=0.2', '--approval-wait=200000'] });
  const [done, asks, wants, twice] = await Promise.all([
    start('fail', 'auto'),
    start('hello', 'interactive'),
    start('approve', 'auto'),
    start('hello', 'interactive'),
  ]);
  for (const { run_id } of [done, asks, twice]) await whenResting(service.client, run_id);
  await service.client.reply(twice.run_id, { interaction_id: '1.1', text: 'A title' });
  await until(() => service.record(twice.run_id).status === 'succeeded');
  await until(() => service.record(wants.run_id).status === 'waiting_approval');
  const { terminal_id } = await openTerminal(service, 'pty', 'keys');
  const runs: Partial<Record<Action, { run_id: string }>> = { send: asks, deny: wants, 'next-turn': twice };

  const first = await openStudio(service, `/runs/${done.run_id}`);
  await first.page
    .getByText('Run finished')
    .or(first.page.getByText(/^Failed:/))
    .first()
    .waitFor();
  await first.page.keyboard.press('?');
  const listed = await first.page.getByRole('dialog').locator('kbd').allTextContents();
  expect(listed.length).toBeGreaterThanOrEqual(KEYS.length);

  // Mostly waiting, so in several windows at once.
  const studios = [first, await openStudio(service, '/open'), await openStudio(service, '/open')];
  const silent = await Promise.all(
    studios.map(async ({ page }, lane) => {
      const found: string[] = [];
      for (const { action, keys } of KEYS.filter((_, index) => index % studios.length === lane)) {
        await page.goto('about:blank');
        const { run_id } = runs[action] ?? done;
        const { isTerminal, address = '' } = TRIALS[action];
        const place = isTerminal ? `/terminals/${terminal_id}` : `/runs/${run_id}${address}`;
        await page.goto(`${service.url}${place}#token=${service.token}`);
        const problem = await tryKey(page, keys[0], TRIALS[action]);
        if (problem !== null) found.push(`${action} (${keys[0]}): ${problem}`);
      }
      return found;
    }),
  );
  expect(silent.flat()).toEqual([]);
  for (const studio of studios) expectQuiet(studio);
});

/** What is still shown when the key has done nothing; null when it has done what it should. */
async function tryKey(page: Page, keys: string, { isTerminal, ...trial }: Trial): Promise<string | null> {
  await page
    .locator('.status-line')
    .getByText(/complete|connected/)
    .waitFor();
  await page
    .locator(isTerminal ? '.terminal-typing' : '[data-pane="conversation"] article')
    .first()
    .waitFor();
  return pressIt(page, keys, trial);
}

async function pressIt(page: Page, keys: string, { before, shows, becomes }: Trial): Promise<string | null> {
  await before?.(page);
  const was = becomes === undefined ? await settled(() => shows(page)) : null;
  for (const key of keysInRow(keys)) await page.keyboard.press(key);
  const shown = expect.poll(() => shows(page), { timeout: 8000 });
  try {
    await (becomes === undefined ? shown.not.toEqual(was) : shown.toEqual(becomes));
    return null;
  } catch {
    return String(await shows(page));
  }
}

describe('every key in the help of a page of terminals works', () => {
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '');
  const focusedBox = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('type') ?? '');
  const inDialog = async (page: Page) => page.keyboard.press('?');
  const onRow = (row: 'first' | 'last') => (page: Page) =>
    page.getByRole('row', { name: row === 'first' ? /one/ : /three/ }).focus();
  const finding = async (page: Page) => {
    await page.locator('.xterm-rows').getByText('289').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('28');
    await expect.poll(() => foundInTerminal(page)).toMatch(/\d/);
    await page.locator('[data-pane="terminal"]').focus();
  };
  const foundInTerminal = (page: Page) => page.locator('.terminal-find output').textContent();
  const logAt = (page: Page) => page.locator('.log-view').evaluate(({ scrollTop }) => Math.sign(scrollTop));
  const help = { keys: '?', label: '?', shows: dialogs, becomes: 1 };
  const leave = { keys: 'Escape', label: 'Esc', before: inDialog, shows: dialogs, becomes: 0 };

  /** By the labels in the help. */
  const pages: Record<'list' | 'pty' | 'exec', (Omit<Trial, 'address'> & { keys: string; label: string })[]> = {
    list: [
      { keys: '/', label: '/', shows: focusedBox, becomes: 'search' },
      { keys: 'j', label: 'j', before: onRow('first'), shows: focused },
      { keys: 'k', label: 'k', before: onRow('last'), shows: focused },
      { keys: 'g g', label: 'g g', before: onRow('last'), shows: focused },
      { keys: 'G', label: 'G', before: onRow('first'), shows: focused },
      { keys: 'Enter', label: 'Enter', before: onRow('first'), shows: async (page) => page.url() },
      help,
      leave,
    ],
    pty: [
      { keys: 'Ctrl+Shift+Enter', label: 'Ctrl+Shift+Enter', shows: takesKeys, becomes: 1 },
      {
        keys: 'Ctrl+Shift+Escape',
        label: 'Ctrl+Shift+Esc',
        before: pressed('Control+Shift+Enter'),
        shows: takesKeys,
        becomes: 0,
      },
      { keys: '/', label: '/', shows: focusedBox, becomes: 'search' },
      { keys: 'n', label: 'n', before: finding, shows: foundInTerminal },
      { keys: 'N', label: 'N', before: finding, shows: foundInTerminal },
      { keys: 'p', label: 'p', before: finding, shows: foundInTerminal },
      help,
      leave,
    ],
    exec: [
      { keys: 'g g', label: 'g g', shows: logAt, becomes: 0 },
      { keys: 'G', label: 'G', before: async (page) => page.keyboard.type('gg'), shows: logAt, becomes: 1 },
      help,
      leave,
    ],
  };

  test('the list, a screen and a log', { timeout: 120_000 }, async () => {
    const service = await startService();
    const daemon = daemonOf(temporaryFolder(), { TACHO_HOME: service.home });
    const exec = await openTerminal(service, 'exec', 'one', daemon);
    const pty = await openTerminal(service, 'pty', 'two', daemon);
    await openTerminal(service, 'pty', 'three', daemon);
    const places = { list: '/terminals', pty: `/terminals/${pty.terminal_id}`, exec: `/terminals/${exec.terminal_id}` };
    const ready = { list: 'tbody tr:nth-child(3)', pty: '.terminal-typing', exec: '.log-line' };

    async function tryAll(place: keyof typeof places): Promise<string[]> {
      const studio = await openStudio(service, '/open');
      const { page } = studio;
      const silent: string[] = [];
      for (const { keys, label, ...trial } of pages[place]) {
        // Otherwise nothing but what stands behind the # would be new.
        await page.goto('about:blank');
        await page.goto(`${service.url}${places[place]}#token=${service.token}`);
        await page.locator(ready[place]).first().waitFor();
        const problem = await pressIt(page, keys, trial);
        if (problem !== null) silent.push(`${place}, ${label}: ${problem}`);
      }
      await page.reload();
      await page.locator(ready[place]).first().waitFor();
      await page.keyboard.press('?');
      const listed = await page.getByRole('dialog').locator('kbd').allTextContents();
      expect(listed.sort(), place).toEqual(pages[place].map(({ label }) => label).sort());
      expectQuiet(studio);
      return silent;
    }
    const silent = await Promise.all((['list', 'pty', 'exec'] as const).map(tryAll));
    expect(silent.flat()).toEqual([]);
  });
});

/** Addresses follow a moment later than what they tell of. */
async function settled(read: () => Promise<unknown>): Promise<unknown> {
  for (let last = await read(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 450));
    const now = await read();
    if (now === last) return now;
    last = now;
  }
}

/** As Playwright writes keys. */
function keysInRow(keys: string): string[] {
  return keys === ' ' ? ['Space'] : keys.split(' ').map((key) => key.replace('Ctrl+', 'Control+'));
}

describe('Keyboard only, from the run list to a reply sent; screen-reader names on everything; `prefers-reduced-motion`; 200 % zoom.', () => {
  test('a reply is sent without a pointer', async () => {
    const service = await startService();
    const { run_id } = await service.client.createRun({
      engine: 'demo',
      prompt: 'hello',
      mode: 'interactive',
      engine_args: ['--pace=0'],
    });
    await whenResting(service.client, run_id);
    const studio = await openStudio(service);
    const { page } = studio;
    await page.getByText('Waiting for you').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/runs\//);
    await page.getByText('The run asks').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.type('A quiet title');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Run finished').waitFor();
    expect(await service.client.getRun(run_id)).toMatchObject({ status: 'succeeded', attempt: 2 });
    expectQuiet(studio);
  });

  test('at 200 % there is one direction to scroll in, and still moves nothing that need not', async () => {
    const service = await startService();
    const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'hello', engine_args: ['--pace=0'] });
    await whenResting(service.client, run_id);
    // Half the pixels of a usual window, as zooming to 200 % leaves.
    const studio = await openStudio(service, `/runs/${run_id}`, { width: 720, height: 450 });
    for (const address of ['/', `/runs/${run_id}`, '/approvals', '/terminals', '/open', '/new']) {
      await studio.page.goto(`${service.url}${address}`);
      await studio.page.locator('main').waitFor();
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
});
