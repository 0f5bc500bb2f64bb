import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ByteRange, RaspEvent, RunView } from '../../../src/protocol/index.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { copiedLink, expectQuiet, openStudio, sharedStudio } from '../../support/studio.ts';

const service = sharedService();
const open = sharedStudio(service);
const runs = new Map<string, Promise<RunView>>();

/** A demo run without pauses: tools, a failed check, files, a last message. Shared by tests that only read it. */
function demoRun(prompt = 'hello'): Promise<RunView> {
  const run = async () => {
    const { run_id } = await service.client.createRun({ engine: 'demo', prompt, engine_args: ['--pace=0'] });
    return whenResting(service.client, run_id);
  };
  if (!runs.has(prompt)) runs.set(prompt, run());
  return runs.get(prompt)!;
}

function lastMessage(events: readonly RaspEvent[]): RaspEvent {
  return events.findLast(({ event }) => event.type === 'agent.message.final')!;
}

test('opens at the failing event', async () => {
  const { run_id, status } = await demoRun('fail');
  expect(status).toBe('failed');
  const studio = await open(`/runs/${run_id}`);
  await studio.page.locator('[data-pane="event"] h3').waitFor();
  await expect.poll(() => new URL(studio.page.url()).searchParams.get('seq')).not.toBeNull();
  const selected = Number(new URL(studio.page.url()).searchParams.get('seq'));
  const { event, data } = service.events(run_id)[selected - 1]!;
  expect(
    event.type === 'diagnostic.engine.error' || (data as { state?: string }).state === 'interrupted',
    `${event.type} ${JSON.stringify(data)}`,
  ).toBe(true);
  expectQuiet(studio);
});

test('raw jump highlights exactly the referenced bytes', async () => {
  const { run_id } = await demoRun();
  const message = lastMessage(service.events(run_id));
  const { stream, attempt_number, byte_from, byte_to } = message.raw_ref as ByteRange;
  const studio = await open(`/runs/${run_id}?seq=${message.seq}`);
  await studio.page.locator('[data-pane="event"] h3').waitFor();
  await studio.page.keyboard.press('r');
  const marked = studio.page.locator('[data-pane="raw"] [data-mark="range"]');
  await marked.first().waitFor();
  const marks = () =>
    marked.evaluateAll((all) =>
      all.map(({ dataset, textContent }) => ({
        from: Number(dataset.from),
        to: Number(dataset.to),
        text: textContent,
      })),
    );
  await expect.poll(async () => (await marks()).at(-1)?.to).toBe(byte_to);
  const pieces = await marks();
  // The marks are adjacent, cover the range from its first byte to its last, and show those bytes.
  expect(pieces.map(({ from }) => from)).toEqual([byte_from, ...pieces.slice(0, -1).map(({ to }) => to)]);
  const bytes = await service.client.raw(run_id, stream, attempt_number, { from: byte_from, to: byte_to });
  const shown = pieces.map(({ text }) => text).join('');
  // A symbol marks the end of a line.
  expect(shown.replace(/↵$/, '')).toBe(Buffer.from(bytes).toString().trimEnd());
  await expect.poll(() => studio.page.url()).toContain('tab=raw');
  await studio.page.goBack();
  await studio.page.getByRole('tab', { name: 'Event', exact: true, selected: true }).waitFor();
  expectQuiet(studio);
});

test('clicking bytes selects the event they became', async () => {
  const { run_id } = await demoRun();
  const call = service.events(run_id).find(({ event }) => event.type === 'tool.call.completed')!;
  const { byte_from, byte_to } = call.raw_ref as ByteRange;
  const other = lastMessage(service.events(run_id));
  const studio = await open(`/runs/${run_id}?tab=raw&seq=${other.seq}`);
  const pane = studio.page.locator('[data-pane="raw"]');
  await pane.locator('[data-mark="range"]').first().waitFor();
  await pane.locator('.raw-view').evaluate((view) => view.scrollTo(0, 0));
  const piece = pane.locator(`.raw-text [data-from="${byte_from}"]`);
  await piece.click({ position: { x: 40, y: 8 } });
  await expect.poll(() => new URL(studio.page.url()).searchParams.get('seq')).not.toBe(String(other.seq));
  const seq = Number(new URL(studio.page.url()).searchParams.get('seq'));
  expect(service.events(run_id)[seq - 1]!.raw_ref).toMatchObject({ byte_from, byte_to });
  expectQuiet(studio);
});

test('scrubbing shows the terminal at that time', async () => {
  // Each word is printed well after the previous one was recorded.
  const printsAfter = (word: string) => `until [ -e ${word} ]; do sleep 0.05; done; sleep 0.6; echo ${word}`;
  const script = `echo first; ${printsAfter('second')}; ${printsAfter('third')}; sleep 0.4`;
  const { run_id } = await service.client.createRun({ command: ['sh', '-c', script] });
  const isRecorded = (text: string) =>
    service.events(run_id).some(({ data }) => (data as { text?: string }).text?.includes(text));
  for (const [word, next] of [
    ['first', 'second'],
    ['second', 'third'],
  ] as const) {
    await expect.poll(() => isRecorded(`${word}\n`)).toBe(true);
    fs.writeFileSync(path.join(service.home, 'runs', run_id, 'work', next), '');
  }
  await whenResting(service.client, run_id);
  const studio = await open(`/runs/${run_id}`);
  const screen = studio.page.locator('[data-pane="terminal"] .xterm-rows');
  await expect.poll(() => screen.textContent()).toContain('third');
  const events = service.events(run_id);
  const at = (event: RaspEvent) => Date.parse(event.ts) - Date.parse(events[0]!.ts);
  const printed = (text: string) => at(events.find(({ data }) => (data as { text?: string }).text?.includes(text))!);
  const strip = studio.page.getByRole('slider', { name: 'Playhead' });
  const { width, height } = (await strip.boundingBox())!;
  const moveTo = (time: number) =>
    strip.click({ position: { x: (time / at(events.at(-1)!)) * width, y: height / 2 }, force: true });
  await moveTo(printed('second') + 300);
  await expect.poll(() => screen.textContent()).toMatch(/^\s*first\s*second\s*$/);
  await moveTo(printed('first') + 300);
  await expect.poll(() => screen.textContent()).toMatch(/^\s*first\s*$/);
  await moveTo(printed('second') + 300);
  await expect.poll(() => screen.textContent()).toMatch(/^\s*first\s*second\s*$/);
  expectQuiet(studio);
});

test('a time window filters events, conversation and diagnostics alike', async () => {
  const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'fail', engine_args: ['--pace=0.3'] });
  await whenResting(service.client, run_id);
  const events = service.events(run_id);
  const start = Date.parse(events[0]!.ts);
  const to = Date.parse(events.find(({ event }) => event.type === 'tool.call.started')!.ts) - start;
  const inside = events.filter(({ ts }) => Date.parse(ts) - start <= to);
  const { page, ...studio } = await open(`/runs/${run_id}?tab=events&from=0&to=${to}`);
  await expect
    .poll(() =>
      page
        .locator('[data-pane="events"]')
        .getByText(/\d+ hidden/)
        .first()
        .textContent(),
    )
    .toContain(`${events.length - inside.length} hidden`);
  await page.locator('[data-pane="conversation"] article').first().waitFor();
  const rows = await page.locator('[data-pane="conversation"] article').count();
  expect(rows).toBeGreaterThan(0);
  expect(await page.locator('[data-pane="conversation"]').textContent()).not.toContain('Failed');
  await page.getByRole('tab', { name: /^Diagnostics/ }).click();
  await page
    .locator('[data-pane="diagnostics"]')
    .getByText(/in this time/)
    .waitFor();
  await page.keyboard.press('z');
  await expect.poll(() => page.locator('[data-pane="conversation"] article').count()).toBeGreaterThan(rows);
  await page.locator('[data-pane="diagnostics"]').getByText('ENGINE_ERROR').waitFor();
  expectQuiet({ page, ...studio });
});

test('says how many events a filter hides', async () => {
  const { run_id } = await demoRun();
  const events = service.events(run_id);
  const studio = await open(`/runs/${run_id}?tab=events`);
  const pane = studio.page.locator('[data-pane="events"]');
  await pane.getByRole('searchbox', { name: 'Filter events' }).fill('event:tool.*');
  const hidden = events.filter(({ event }) => event.category !== 'tool').length;
  await pane.getByText(`${hidden} hidden`).click();
  await expect.poll(() => pane.getByRole('searchbox', { name: 'Filter events' }).inputValue()).toBe('');
  expectQuiet(studio);
});

test('a copied link restores selection, time and filter', async () => {
  const { run_id } = await demoRun();
  const call = service.events(run_id).find(({ event }) => event.type === 'tool.call.failed')!;
  const first = await open(`/runs/${run_id}?tab=events&q=event:tool.*&seq=${call.seq}`);
  await first.page.getByRole('row', { selected: true }).waitFor();
  const link = await copiedLink(first.page, `${service.url}/runs/`);
  expect(link).not.toContain(service.token);
  const second = await openStudio(service, link.slice(service.url.length));
  const selected = second.page.getByRole('row', { selected: true });
  await selected.waitFor();
  const chosen = await first.page.getByRole('row', { selected: true }).textContent();
  await expect.poll(() => selected.textContent()).toBe(chosen);
  const filter = second.page.getByRole('searchbox', { name: 'Filter events' });
  await expect.poll(() => filter.inputValue()).toBe('event:tool.*');
  const playhead = (page: typeof first.page) =>
    page.getByRole('slider', { name: 'Playhead' }).getAttribute('aria-valuetext');
  await expect.poll(async () => (await playhead(second.page)) === (await playhead(first.page))).toBe(true);
  expectQuiet(first);
  expectQuiet(second);
});

test('diagnostics appear on their tab, not in the conversation', async () => {
  const { run_id } = await demoRun('fail');
  const diagnostics = service.events(run_id).filter(({ event }) => event.category === 'diagnostic');
  expect(diagnostics.length).toBeGreaterThan(0);
  const studio = await open(`/runs/${run_id}?tab=diagnostics`);
  const conversation = await studio.page.locator('[data-pane="conversation"]').textContent();
  const pane = studio.page.locator('[data-pane="diagnostics"]');
  for (const { data } of diagnostics) {
    const { code } = data as { code: string };
    await pane.getByText(code).first().waitFor();
    expect(conversation).not.toContain(code);
  }
  await expect
    .poll(() => studio.page.getByRole('tab', { name: /^Diagnostics/ }).textContent())
    .toContain(String(diagnostics.length));
  expectQuiet(studio);
});
