import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Service } from './service.ts';

let browser: Promise<Browser> | null = null;
const TIMEOUT_MS = 100_000;
const VIEWPORT = { width: 1440, height: 900 };

/** One browser per test process, because starting it takes a second. It ends with the process. */
function theBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  try {
    // A busy machine may be slow, here and below.
    const launched = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: TIMEOUT_MS,
    });
    // After a crash the next tests get a new one.
    launched.once('disconnected', () => {
      browser = null;
    });
    return launched;
  } catch (error) {
    browser = null;
    throw error;
  }
}

export interface StudioPage {
  page: Page;
  /** Console errors and page failures so far. */
  complaints: string[];
}

interface StudioOptions extends BrowserContextOptions {
  width?: number;
  height?: number;
  /** Registers the closing of the window; by default it happens when the test ends. */
  whenDone?: (end: () => Promise<void>) => void;
}

/** The Studio in a new window, opened by the address with the token. */
export async function openStudio(
  { url, token }: Pick<Service, 'url' | 'token'>,
  address = '/',
  { width = VIEWPORT.width, height = VIEWPORT.height, whenDone = onTestFinished, ...options }: StudioOptions = {},
): Promise<StudioPage> {
  const context = await (await theBrowser()).newContext({
    viewport: { width, height },
    locale: 'en-US',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  whenDone(() => context.close());
  const page = await context.newPage();
  // A busy machine may be slow; the test's timeout ends the wait.
  page.setDefaultTimeout(TIMEOUT_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    complaints.push(`${message.text()} ${message.location().url}`);
  });
  await page.goto(`${url}${address}#token=${token}`);
  return { page, complaints };
}

/**
 * One window for all tests of a file, each of which loads its own address: a window with cached scripts takes half the
 * CPU time of a new one.
 */
export function sharedStudio(service: Service): (address?: string) => Promise<StudioPage> {
  const ends: (() => Promise<void>)[] = [];
  let studio: StudioPage | null = null;
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return async (address = '/') => {
    if (studio === null) {
      studio = await openStudio(service, address, { whenDone: (end) => void ends.push(end) });
      return studio;
    }
    const { page, complaints } = studio;
    await page.evaluate(() => localStorage.clear());
    await page.setViewportSize(VIEWPORT);
    complaints.length = 0;
    // Without the token, which it has stored: a change of the fragment alone would not reload the page.
    await page.goto(`${service.url}${address}`);
    return studio;
  };
}

/** Navigates to another page of the Studio like its links, without a reload, and waits until it is drawn. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => {
    const { pathname } = new URL(address, location.href);
    // Each page has its own `main`.
    if (pathname !== location.pathname) document.querySelector('main')?.setAttribute('data-left', '');
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
  await page.locator('main:not([data-left])').waitFor();
}

/** Waits for the link that `y` copies to the clipboard. */
export async function copiedLink(page: Page, beginning: string): Promise<string> {
  await page.keyboard.press('y');
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(new RegExp(`^${beginning}`));
  return await copied();
}

/** Requests go only to our own server, and the console has no errors. */
export function expectQuiet({ complaints }: StudioPage): void {
  expect(complaints).toEqual([]);
}
