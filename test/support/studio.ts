import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import type { Service } from './service.ts';

let browser: Promise<Browser> | null = null;

/** One browser a test file: starting it takes a second. It ends with the process of the file. */
function theBrowser(): Promise<Browser> {
  browser ??= chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'], timeout: 100_000 });
  return browser;
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
  page.setDefaultTimeout(100_000);
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  await page.goto(`${url}${address}#token=${token}`);
  return { page, complaints };
}

/** Nothing but our own server may ever be asked, and nothing may be complained about. */
export function expectQuiet({ complaints }: StudioPage): void {
  expect(complaints).toEqual([]);
}
