import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Service } from './service.ts';

let browser: Promise<Browser> | null = null;
const PATIENCE_MS = 100_000;

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

/** The Studio in a window of its own, as somebody who was given the address with the token. */
export async function openStudio(
  { url, token }: Pick<Service, 'url' | 'token'>,
  address = '/',
  { width = 1440, height = 900, ...options }: BrowserContextOptions & { width?: number; height?: number } = {},
): Promise<StudioPage> {
  const context = await (await theBrowser()).newContext({
    viewport: { width, height },
    locale: 'en-US',
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  // A busy machine may need long; the test's own timeout is what ends the wait.
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(`${url}${address}#token=${token}`);
  return { page, complaints };
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
