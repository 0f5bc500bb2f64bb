import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { secretForms } from '../../../src/agent/wal/redaction/secret-forms.ts';
import { violations } from '../../support/axe.ts';
import { sharedService } from '../../support/service.ts';
import { expectQuiet, sharedStudio } from '../../support/studio.ts';
import { type OwnProgram, SECRET, shownRun, startOwnProgram } from '../library/own-program.ts';

const service = sharedService();
const open = sharedStudio(service);

const paneOf = (page: Page) => page.locator('[data-pane="agent"]');
const choose = (page: Page, name: RegExp) => paneOf(page).locator('.agent-views').getByRole('button', { name }).click();

/** A library run that has ended. */
async function endedRun(): Promise<{ run: string; program: OwnProgram }> {
  const { client } = service;
  const program = await startOwnProgram(service.home);
  const { run_id: run } = await shownRun(client, program);
  program.allow(9);
  for (const id of [1, 2]) {
    const approval = `${program.runId}.a${id}`;
    const isPending = async () =>
      (await client.approvals({ status: 'pending' })).some((one) => one.approval_id === approval);
    await expect.poll(isPending).toBe(true);
    await client.decide(approval, {
      decision: id === 1 ? 'approved' : 'denied',
      ...(id === 1 ? {} : { reason: 'no more' }),
    });
  }
  await program.ended;
  await expect.poll(async () => (await client.getRun(run)).status).toBe('succeeded');
  return { run, program };
}

function expectNoSecret(text: string): void {
  expect(secretForms(SECRET).filter((form) => text.includes(form))).toEqual([]);
}

test('a run in a program of the user is opened and followed live, with plan, steps and budgets', async () => {
  const program = await startOwnProgram(service.home);
  const studio = await open('/');
  const { page } = studio;
  await page.getByRole('row', { name: /Write notes with \[secret TOKEN\]/ }).click();
  await page.waitForURL(/\/runs\//);
  await page.getByRole('tab', { name: 'Agent' }).click();
  const pane = paneOf(page);
  await pane.getByText('● Running').waitFor();
  await pane.getByText('The agent has not made a plan.').waitFor();

  program.allow(1);
  await pane.getByText('Write', { exact: true }).waitFor();
  await pane.getByText('2 of 20').waitFor();
  await choose(page, /^Steps/);
  const rows = pane.getByRole('grid', { name: 'Steps' }).locator('.agent-rows [role="row"]');
  await expect.poll(() => rows.count()).toBe(2);
  program.allow(2);
  await page.getByRole('button', { name: 'Allow once' }).first().waitFor();
  await choose(page, /^Decisions/);
  await pane.getByText('◆ pending').waitFor();
  await service.client.decide(`${program.runId}.a1`, { decision: 'approved' });
  await pane.getByText('✓ approved').waitFor();
  program.allow(3);
  await expect.poll(() => pane.getByText('◆ pending').count()).toBe(1);
  await service.client.decide(`${program.runId}.a2`, { decision: 'approved' });
  program.allow(9);
  await program.ended;
  await choose(page, /^Overview/);
  await pane.getByText('✓ Completed').waitFor();
  await pane.getByText('All is written.').waitFor();
  expectNoSecret(await page.content());
  expectQuiet(studio);
});

test('steps move the playhead, and prompts name the source of every piece', async () => {
  const { run } = await endedRun();
  const studio = await open(`/runs/${run}?tab=agent`);
  const { page } = studio;
  const pane = paneOf(page);
  await choose(page, /^Steps/);
  const rows = pane.locator('.agent-rows [role="row"]');
  await expect.poll(() => rows.count()).toBe(4);
  await rows.nth(1).click();
  await expect.poll(() => new URL(page.url()).searchParams.get('seq')).not.toBeNull();
  const at = (await service.client.agent(run)).steps[1]!.started_at;
  const { events } = await service.client.events(run, { limit: 1000 });
  const seq = Number(new URL(page.url()).searchParams.get('seq'));
  expect(events.find((event) => event.seq === seq)!.ts >= at).toBe(true);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => rows.nth(2).getAttribute('aria-selected')).toBe('true');
  await pane.getByText('file_write').first().waitFor();

  await pane.getByRole('button', { name: 'Show its prompt' }).click();
  const pieces = pane.locator('.agent-piece');
  await pieces.first().waitFor();
  const labels = await pieces.evaluateAll((all) => all.map((piece) => piece.getAttribute('aria-label') ?? ''));
  expect(labels.some((label) => label.startsWith('task · digest '))).toBe(true);
  expect(labels.some((label) => label.startsWith('tools:1 · digest '))).toBe(true);
  // A secret was masked in the system message, so its pieces cannot be told apart.
  await pane.getByText('Parts were masked or cut').waitFor();
  const task = pieces.filter({ hasText: 'Write notes with [secret TOKEN].' }).first();
  await task.focus();
  expect(await task.locator('.agent-digest').evaluate((digest) => getComputedStyle(digest).visibility)).toBe('visible');
  expectNoSecret(await page.content());

  const found: string[] = [];
  for (const view of [/^Overview/, /^Steps/, /^Prompt/, /^Decisions/, /^Child agents/]) {
    await choose(page, view);
    for (const violation of await violations(page, { part: '[data-pane="agent"]' })) found.push(`${view} ${violation}`);
  }
  expect(found).toEqual([]);
  expectQuiet(studio);
});

test('a run is forked from the page, replayed with the difference shown, and the fork is listed', async () => {
  const { run, program } = await endedRun();
  const studio = await open(`/runs/${run}?tab=agent`);
  const { page } = studio;
  const pane = paneOf(page);
  await pane.getByRole('button', { name: 'Replay the log' }).click();
  await pane.getByText(/Different after \d+ events/).waitFor();
  await pane.getByText('The log has', { exact: true }).waitFor();
  await pane.getByText('The replay has', { exact: true }).waitFor();
  await pane.getByText('The run had tools that the configuration does not have: look').waitFor();
  expectNoSecret(await page.content());
  await pane.getByRole('button', { name: /^Go to step 1/ }).click();
  await pane.locator('.agent-rows [role="row"][aria-selected="true"]').waitFor();

  await pane.locator('.agent-rows [role="row"]').nth(2).click();
  await pane.getByRole('button', { name: 'Fork from here…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Fork the agent' });
  const event = dialog.getByLabel('Last event in common');
  const { steps } = await service.client.agent(run);
  expect(await event.inputValue()).toBe(String(steps[2]!.first_seq - 1));
  await event.fill('0');
  await dialog.getByLabel('Folder').fill('relative');
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await dialog.getByText('Not the number of an event.').waitFor();
  await dialog.getByText('Not an absolute path.').waitFor();
  expect(await violations(page, { part: 'dialog' })).toEqual([]);

  const into = path.join(path.dirname(program.workspace), 'fork');
  await event.fill(String(steps[2]!.first_seq - 1));
  await dialog.getByLabel('Message to the agent').fill('Write something else.');
  await dialog.getByLabel('Folder').fill(into);
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await dialog.getByText('The fork is ready.').waitFor();
  await dialog.getByText(`tacho agent resume -C ${into}`).waitFor();
  expect(fs.readFileSync(path.join(into, 'notes.txt'), 'utf8')).toBe(`${SECRET}\n`);
  expect(fs.existsSync(path.join(into, 'more.txt'))).toBe(false);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await choose(page, /^Overview/);
  await pane.getByText(`, from event ${steps[2]!.first_seq - 1}`).waitFor();
  expectQuiet(studio);
});

test('works on a narrow page and in Chinese', async () => {
  const { run } = await endedRun();
  const { page } = await open(`/runs/${run}?tab=agent`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.evaluate(() => localStorage.setItem('tacho.language', 'zh'));
  await page.goto(`${service.url}/runs/${run}?tab=agent`);
  const pane = paneOf(page);
  await pane.getByText('预算').waitFor();
  for (const view of [/^步骤/, /^提示/, /^决定/, /^子智能体/]) {
    await choose(page, view);
    const overflows = await pane.evaluate((element) => element.scrollWidth > element.clientWidth);
    expect(overflows, String(view)).toBe(false);
  }
  expect(await violations(page, { part: '[data-pane="agent"]' })).toEqual([]);
});
