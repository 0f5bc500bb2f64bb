import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { RuntimeClient } from '../../../src/runtime/index.ts';
import { type Service, sharedService, startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio, sharedStudio, visit } from '../../support/studio.ts';
import { processesWith, temporaryFolder } from '../../support/tacho.ts';
import { daemonOf } from '../runtime/daemon.ts';

/** A workspace whose daemon uses the server's data folder, with a direct client. */
function workspaceOf({ home }: Service): { workspace: string; daemon: RuntimeClient } {
  const { workspace, client } = daemonOf(fs.realpathSync(temporaryFolder()), { TACHO_HOME: home });
  return { workspace, daemon: client() };
}

async function openPty(daemon: RuntimeClient, typed: string): Promise<string> {
  const argv = ['bash', '--norc', '--noprofile'];
  const session = { kind: 'pty', name: 'build', argv, record: true, kill_grace_ms: 100 } as const;
  const { session_id } = await daemon.call('session.create', session);
  await daemon.call('session.write', { session_id, data: typed });
  return session_id;
}

async function address({ client }: Service, sessionId: string): Promise<string> {
  // A list leaves out a daemon that answers too slowly.
  const find = async () =>
    (await client.terminals.list()).terminals.find(({ session_id }) => session_id === sessionId)?.terminal_id;
  await expect.poll(find).toBeDefined();
  return `/terminals/${await find()}`;
}

const screen = (page: Page) => page.locator('.xterm-rows');
/** The lines on the screen, with ordinary spaces. */
const screenText = async (page: Page) =>
  (await screen(page).locator('> div').allTextContents()).join('\n').replaceAll('\u00a0', ' ');
const shows = (page: Page, text: string | RegExp) => expect.poll(() => screenText(page)).toMatch(text);
const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

/** Presses twice in one call: the first press expires after seconds, which two clicks may take on a busy machine. */
async function pressKill(page: Page): Promise<void> {
  const asked = await page.getByRole('button', { name: 'Kill', exact: true }).evaluate(async (button: HTMLElement) => {
    button.click();
    await new Promise((resolve) => setTimeout(resolve));
    const { textContent } = button;
    button.click();
    return textContent;
  });
  expect(asked).toBe('Kill? Press again');
}

const READER = `tacho_${'r'.repeat(40)}`;

/** A server that also has a read-only token. */
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-service-'));
fs.writeFileSync(path.join(home, 'token'), `admin tacho_${'a'.repeat(40)}\nread ${READER}\n`, { mode: 0o600 });
const service = sharedService({ home });
const open = sharedStudio(service);

describe('a shell', () => {
  test('is opened from the page, runs commands one by one, and is recorded as a run', async () => {
    const { workspace } = workspaceOf(service);
    const studio = await open('/terminals');
    const { page } = studio;
    // Only while no other test has opened one.
    await says(page, 'No terminals yet.');
    await page.getByRole('button', { name: 'New terminal' }).click();
    const dialog = page.getByRole('dialog', { name: 'New terminal' });
    await dialog.getByRole('button', { name: 'Open the terminal' }).click();
    await says(page, /Not an absolute path/);
    await dialog.getByRole('textbox', { name: 'Workspace' }).fill(workspace);
    await dialog.getByRole('textbox', { name: 'Name' }).fill('tests');
    await dialog.getByRole('radio', { name: /^Shell/ }).click();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/terminals\/./);

    const terminal = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1)!);
    const log = page.getByRole('region', { name: 'Output' }).last();
    const command = page.getByRole('textbox', { name: 'Command' });
    const lines = () => log.locator('.log-line').allInnerTexts();
    await command.fill('cd / && echo "in $PWD"; echo oops >&2; (exit 3)');
    await page.keyboard.press('Enter');
    await says(page, 'exit code 3');
    await expect
      .poll(lines)
      .toEqual(expect.arrayContaining(['in /', 'stderr\noops'].map((line) => expect.stringContaining(line))));
    // A distinct duration, to find the command by.
    const nap = `100.${process.pid}${Date.now()}`;
    await command.fill(`pwd; sleep ${nap}`);
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await lines()).at(-1)).toMatch(/^\/$/);
    await expect.poll(() => processesWith(`sleep\0${nap}`)).toHaveLength(1);
    await page.getByRole('button', { name: 'Ctrl+C' }).click();
    await says(page, 'exit code 130');
    expect((await lines()).at(-1)).toMatch(/^\/$/);
    // The history holds both commands, the last one first.
    await command.press('ArrowUp');
    await expect.poll(() => command.inputValue()).toBe(`pwd; sleep ${nap}`);

    await page.getByRole('link', { name: 'recording' }).click();
    await page.waitForURL(/\/runs\//);
    const run = new URL(page.url()).pathname.split('/').at(-1)!;
    expect(await service.client.getRun(run)).toMatchObject({ engine: 'terminal' });
    await service.client.terminals.kill(terminal);
    await whenResting(service.client, run);
    expectQuiet(studio);
  });
});

describe('a terminal that was opened elsewhere', () => {
  test('is listed, shown with its earlier output, taken over, resized, reloaded and killed', async () => {
    const { daemon, workspace } = workspaceOf(service);
    const session_id = await openPty(daemon, 'PS1="> "; clear; echo before-$((40+2))\n');
    const studio = await open();
    const { page } = studio;
    await page.getByRole('link', { name: 'Terminals' }).click();
    const row = page.getByRole('row', { name: /build/ });
    await row.waitFor();
    await expect.poll(() => row.textContent()).toMatch(/Running.*build.*pty.*80×24.*recording/);
    expect(await row.getByTitle(workspace, { exact: true }).textContent()).toBe(path.basename(workspace));
    await page.keyboard.press('j');
    await page.locator('[data-row]:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/terminals\/./);
    await shows(page, /before-42\s/);
    await says(page, 'connected');

    // A second viewer with read-only access.
    const reader = await openStudio({ ...service, token: READER }, await address(service, session_id));
    await shows(reader.page, /before-42\s/);
    await says(page, 'attached 2');
    await reader.page.keyboard.press('Control+Shift+Enter');
    await reader.page.locator('.xterm textarea:focus').waitFor({ state: 'attached' });
    await reader.page.keyboard.press('x');
    await says(reader.page, 'Not sent: the token may read; this needs admin');
    await reader.page.getByRole('button', { name: 'Take over' }).waitFor();
    await pressKill(reader.page);
    await says(reader.page, /^the token may read; this needs admin$/);

    // Watching changes nothing: no key reaches the session, and it keeps its size.
    await page.keyboard.type('echo not-yet');
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.locator('.xterm textarea:focus').waitFor({ state: 'attached' });
    await page.keyboard.type('echo typed-$((1+2))');
    await page.keyboard.press('Enter');
    for (const one of [page, reader.page]) await shows(one, /typed-3\s/);
    await page.keyboard.press('Control+Shift+Escape');
    await page.getByRole('button', { name: 'Take over' }).waitFor();
    await page.keyboard.type('echo not-any-more');
    expect(await daemon.call('session.info', { session_id })).toMatchObject({ cols: 80, rows: 24 });
    const read = await daemon.call('session.read', { session_id, encoding: 'utf8' });
    expect(read.data).not.toMatch(/not-yet|not-any-more/);

    await daemon.call('session.resize', { session_id, cols: 100, rows: 30 });
    await says(page, '100×30');
    await expect.poll(() => screen(page).locator('> div').count()).toBe(30);
    await page.getByRole('button', { name: 'Take over' }).click();
    await page.getByRole('button', { name: 'Fit to window' }).click();
    await expect.poll(async () => (await daemon.call('session.info', { session_id })).cols).toBeGreaterThan(150);

    await page.reload();
    await shows(page, /before-42[\s\S]*typed-3\s/);
    await pressKill(page);
    await says(page, /^. Ended, on request$/);
    await says(reader.page, /^. Ended/);
    const heard = page.locator('.heard[role="alert"]');
    await expect.poll(() => heard.textContent()).toBe('Terminal ended: on request');
    await expect.poll(() => page.getByRole('button', { name: /Take over|Kill/ }).count()).toBe(0);
    await expect.poll(async () => (await daemon.call('session.list', {})).sessions).toEqual([]);

    // Its recording is an ordinary run.
    await page.getByRole('link', { name: 'recorded' }).click();
    await page.waitForURL(/\/runs\//);
    await shows(page, /typed-3/);
    expectQuiet(studio);
    // Browsers log refused requests themselves.
    expect(reader.complaints.filter((text) => !text.includes('403'))).toEqual([]);
  });

  test('resumes at its position when the server comes back', async () => {
    const service = await startService();
    const { daemon } = workspaceOf(service);
    const session_id = await openPty(daemon, 'PS1="> "; clear; echo first-$((40+2))\n');
    const { page } = await openStudio(service, await address(service, session_id));
    await shows(page, /first-42\s/);
    await service.kill();
    await says(page, /Reconnecting/);
    await daemon.call('session.write', { session_id, data: 'echo second-$((40+3))\n' });
    await startService({ home: service.home, port: new URL(service.url).port });
    await shows(page, /first-42\s[\s\S]*second-43\s/);
    expect((await screenText(page)).match(/first-42/g)).toHaveLength(1);
    await says(page, 'connected');
  });
});

test('hostile output is shown as text, on a screen and in a log', async () => {
  const { daemon } = workspaceOf(service);
  const hostile =
    '\\033]0;pwned\\007\\033]52;c;cHduZWQ=\\007\\033]8;;javascript:window.hacked=1\\007click me\\033]8;;\\007 ' +
    '<img src=x onerror=window.hacked=2><script>window.hacked=3</script> \\033[6n\\033[c\\033]11;?\\007 end-of-it\\n';
  const name = '<b>bold</b>\u202e';
  // Printed once before a page is open, and once after it has taken over.
  const argv = ['sh', '-c', `printf '${hostile}'; read line; printf '${hostile}'; exec cat`];
  const pty = await daemon.call('session.create', { kind: 'pty', name, argv, cols: 132 });
  const exec = await daemon.call('session.create', { kind: 'exec', name, argv });
  const studio = await open('/terminals');
  const { page } = studio;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.url) asked.push(request.url());
  });
  await page.evaluate(() => navigator.clipboard.writeText('mine'));
  await says(page, '<b>bold</b>⟨U+202E⟩');
  await visit(page, await address(service, pty.session_id));
  await shows(page, /click me[\s\S]*<script>[\s\S]*end-of-it/);
  await page.keyboard.press('Control+Shift+Enter');
  await says(page, 'Your keys go to the program.');
  await page.locator('.xterm textarea:focus').waitFor({ state: 'attached' });
  await page.keyboard.press('Enter');
  await shows(page, /end-of-it[\s\S]*end-of-it/);
  await screen(page).getByText('click me').last().click({ force: true });
  // The page did not answer the terminal queries: there is no input before this.
  await page.keyboard.type('mark');
  await shows(page, /end-of-it\s+mark/);
  const { data } = await daemon.call('session.read', { session_id: pty.session_id, encoding: 'utf8' });
  expect(data).toMatch(/end-of-it\r\nmark$/);
  await visit(page, await address(service, exec.session_id));
  await says(page, /<img src=x onerror=window.hacked=2>/);
  await says(page, /␛/);
  expect(await page.locator('main img, main iframe, main script, main b').count()).toBe(0);
  expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  await expect.poll(() => page.title()).toBe('<b>bold</b>⟨U+202E⟩');
  expect(asked).toEqual([]);
  expectQuiet(studio);
});
