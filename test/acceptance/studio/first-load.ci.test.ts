import { describe, expect, test } from 'vitest';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService, whenResting } from '../../support/service.ts';
import { expectQuiet, openStudio } from '../../support/studio.ts';

const MAX_BYTES = 350_000;
const service = sharedService();

describe('a browser that opens the Studio', () => {
  test('loads at most 350 kB for a run, from our server only', async () => {
    const { run_id } = await service.client.createRun({ engine: 'demo', prompt: 'hello', engine_args: ['--pace=0'] });
    await whenResting(service.client, run_id);
    // Opens a window on an address that loads nothing else.
    const studio = await openStudio(service, '/icon.svg');
    const { page } = studio;
    const loaded = new Map<string, number>();
    const foreign: string[] = [];
    page.on('response', async (response) => {
      const url = new URL(response.url());
      if (url.origin !== service.url) foreign.push(url.href);
      if (!/\.(js|css|html)$/.test(url.pathname) && !url.pathname.startsWith('/runs/')) return;
      const { 'content-encoding': encoding, 'content-length': length } = response.headers();
      expect(encoding, url.pathname).toBe('gzip');
      loaded.set(url.pathname, Number(length));
    });
    const cleared = await page.context().newCDPSession(page);
    await cleared.send('Network.clearBrowserCache');
    await page.goto(`${service.url}/runs/${run_id}#token=${service.token}`);
    await page.locator('[data-pane="terminal"] .xterm-rows').waitFor();
    await page.locator('[data-pane="event"] h3').waitFor();
    const bytes = [...loaded.values()].reduce((sum, size) => sum + size, 0);
    expect(loaded.size).toBeGreaterThan(5);
    // Other pages are loaded on demand.
    expect(
      [...loaded.keys()].filter((file) =>
        /(terminals?|skills?|runs|approvals|open|new-run)-page|skill-pane/.test(file),
      ),
    ).toEqual([]);
    expect(bytes, JSON.stringify([...loaded])).toBeLessThanOrEqual(MAX_BYTES);
    expect(foreign).toEqual([]);
    expectQuiet(studio);
  });

  test('stores the token on load, before anything is drawn', async () => {
    const { page } = await openStudio(service, '/icon.svg');
    // React schedules its rendering with these messages.
    await page.addInitScript(() => {
      MessagePort.prototype.postMessage = () => {};
    });
    await page.goto(`${service.url}/approvals#token=${service.token}`);
    expect(await page.locator('main').count()).toBe(0);
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.evaluate(() => Object.values(sessionStorage))).toContain(service.token);
  });

  test('logs no error on any page or tab', async () => {
    const start = (prompt: string) =>
      service.client.createRun({ engine: 'demo', prompt, mode: 'interactive', engine_args: ['--pace=0'] });
    const [asks, failed] = [await start('hello'), await start('fail')];
    const command = await service.client.createRun({ command: ['sh', '-c', 'echo out; echo err >&2'] });
    for (const { run_id } of [asks, failed, command]) await whenResting(service.client, run_id);
    const tabs = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];
    const addresses = [
      '/',
      '/?q=status:failed',
      '/new',
      '/approvals',
      '/terminals',
      '/skills',
      '/open',
      '/nowhere',
      '/runs/00000000',
      // At the small size, screen-reader.ci.test.ts covers the other tabs of the demo.
      ...[failed, asks, command].flatMap(({ run_id }) =>
        proofSize({ small: ['raw'], full: tabs }).map((tab) => `/runs/${run_id}?tab=${tab}`),
      ),
    ];
    const usual = await openStudio(service);
    // The browser itself logs a 404, possibly after the next page was opened: missing pages get a separate window.
    const absent = await openStudio(service);
    for (const address of addresses) {
      const isAbsent = /nowhere|00000000/.test(address);
      const studio = isAbsent ? absent : usual;
      const isComplaint = (text: string) => !isAbsent || !text.includes('404');
      await studio.page.goto(`${service.url}${address}`);
      await studio.page.locator('main').waitFor();
      if (address.includes('tab=')) {
        await studio.page
          .locator('.status-line')
          .getByText(/complete|connected/)
          .waitFor();
        await studio.page.locator('[role="tabpanel"] [data-pane]').waitFor();
      }
      expect(studio.complaints.filter(isComplaint), address).toEqual([]);
    }
  });
});
