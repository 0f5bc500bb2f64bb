import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import type { Service } from './service.ts';

let browser: Promise<Browser> | null = null;
const PATIENCE_MS = 100_000;
const USUAL = { width: 1440, height: 900 };

/** One browser a test process: starting it takes a second. It ends with the process. */
function theBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

async function launch(): Promise<Browser> {
  try {
    // A busy machine may need long, here as below.
    const launched = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: PATIENCE_MS,
    });
    // The tests after one in which it crashed have another.
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
  /** What the console complained about so far, and pages that failed. */
  complaints: string[];
}

interface StudioOptions extends BrowserContextOptions {
  width?: number;
  height?: number;
  /** Takes what closes the window; by default that is when the test is over. */
  whenDone?: (end: () => Promise<void>) => void;
}

/** The Studio in a window of its own, as somebody who was given the address with the token. */
export async function openStudio(
  { url, token }: Pick<Service, 'url' | 'token'>,
  address = '/',
  { width = USUAL.width, height = USUAL.height, whenDone = onTestFinished, ...options }: StudioOptions = {},
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
  // A busy machine may need long; the test's own timeout is what ends the wait.
  page.setDefaultTimeout(PATIENCE_MS);
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
 * One window for all tests of a file, each of which loads the address it names: a window that has its scripts takes half
 * the processor time of a new one.
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
    await page.setViewportSize(USUAL);
    complaints.length = 0;
    // Without the token, which it has kept: an address that differs in nothing else would not be loaded again.
    await page.goto(`${service.url}${address}`);
    return studio;
  };
}

/** Goes to another page of the Studio as its links do, without loading it, and waits until that page is drawn. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.evaluate((address) => {
    const { pathname } = new URL(address, location.href);
    // Each page has a main part of its own.
    if (pathname !== location.pathname) document.querySelector('main')?.setAttribute('data-left', '');
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate'));
  }, address);
  await page.locator('main:not([data-left])').waitFor();
}

/** The link that `y` puts on the clipboard, once it is there. */
export async function copiedLink(page: Page, beginning: string): Promise<string> {
  await page.keyboard.press('y');
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(new RegExp(`^${beginning}`));
  return await copied();
}

/** Nothing but our own server may ever be asked, and nothing may be complained about. */
export function expectQuiet({ complaints }: StudioPage): void {
  expect(complaints).toEqual([]);
}
