import { expect, test } from 'vitest';
import { fakeEngine } from '../../support/fake-engine.ts';
import { startService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio, visit } from '../../support/studio.ts';

/** Parts of the engine's text, as the page must show them. */
const HOSTILE = [
  '<script>window.hacked = 1</script>',
  'javascript:window.hacked=3',
  'https://example.com/pixel.png',
  'U+202E',
];

test('hostile output is shown as text and never executed, and the page stays usable', {
  timeout: 120_000,
}, async () => {
  const service = await startService({ env: fakeEngine('codex', 'hostile.mjs') });
  const { run_id } = await service.client.createRun({ engine: 'codex', prompt: '<script>window.hacked = 5</script>' });
  await whenResting(service.client, run_id);
  const studio = await openStudio(service, '/');
  const { page } = studio;
  const asked: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== service.url) asked.push(request.url());
  });
  page.on('dialog', (dialog) => asked.push(`dialog: ${dialog.message()}`));
  await page.evaluate(() => navigator.clipboard.writeText('mine'));
  for (const tab of ['event', 'events', 'raw', 'graph', 'files', 'diagnostics']) {
    await visit(page, `/runs/${run_id}?tab=${tab}`);
    await page.locator('.status-line').getByText('complete').waitFor();
    await page.locator(`[role="tabpanel"] [data-pane="${tab}"]`).waitFor();
  }
  const conversation = page.locator('[data-pane="conversation"]');
  // Scroll from the first row to the last, repeatedly, until each has been drawn.
  await conversation.locator('article').first().waitFor();
  const shown = new Set<string>();
  const drawn = async () => {
    for (const key of ['g', 'g', ...Array.from({ length: 10 }, () => 'j')]) {
      await page.keyboard.press(key);
      for (const text of await conversation.locator('article').allTextContents()) shown.add(text);
    }
    const text = [...shown].join('\n');
    return HOSTILE.filter((part) => text.includes(part));
  };
  await expect.poll(drawn).toEqual(HOSTILE);
  expect(await page.locator('main img, main iframe, main script').count()).toBe(0);
  const links = await page.locator('main a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  expect(links.filter((address) => /^\s*javascript:/i.test(address))).toEqual([]);
  expect(await page.evaluate(() => (globalThis as { hacked?: number }).hacked)).toBeUndefined();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine');
  expect(await page.title()).not.toBe('title');
  expect(asked).toEqual([]);

  // Usable: the page responds to a key while the long line is on the screen.
  await page.keyboard.press('D');
  await page.getByRole('tab', { name: /^Diagnostics/, selected: true }).waitFor();
  expectQuiet(studio);
});
