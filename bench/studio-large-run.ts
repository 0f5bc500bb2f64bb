import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chromium, type Page } from 'playwright-core';
import type { Row } from './row.ts';
import { buildProgram } from './support/build-program.ts';
import { median, milliseconds } from './support/figures.ts';
import { startTacho, type TachoServer } from './support/tacho-server.ts';

export const name = 'studio-large-run';
export const goal = 'first rows < 1 s, seek < 100 ms, no frame over 100 ms, heap < 300 MB';
export const about =
  'The Studio in Chromium, without a graphics card, on a run of 10,000 events and 20 MB of output: from opening the address to ' +
  'the first rows of the conversation; from a key that moves the playhead to the terminal showing that moment; the longest ' +
  'frame while the playhead is dragged over the whole timeline and back; and the memory of the page afterwards.';

const EVENTS = 10_000;
const BYTES = 20_000_000;
const SEEKS = 9;

export async function run(): Promise<Row[]> {
  const folder = agentFolder();
  const server = await startTacho({ searchPath: folder });
  try {
    const runId = await server.startRun('codex');
    await ended(server, runId);
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium-headless-shell',
      args: ['--no-sandbox', '--enable-precise-memory-info'],
    });
    try {
      return await measure(await browser.newPage({ viewport: { width: 1440, height: 900 } }), server, runId);
    } finally {
      await browser.close();
    }
  } finally {
    await server.stop();
    fs.rmSync(folder, { recursive: true });
  }
}

async function measure(page: Page, server: TachoServer, runId: string): Promise<Row[]> {
  const address = `${server.url}/runs/${runId}`;
  const token = server.headers.authorization!.replace('Bearer ', '');
  // The test runner names functions with its own helper, which the page lacks.
  await page.addInitScript('globalThis.__name = (named) => named');
  // First load, so that the browser has cached the files of the page.
  await page.goto(`${address}#token=${token}`);
  await allThere(page);
  const begun = performance.now();
  await page.goto('about:blank');
  await page.goto(`${address}#token=${token}`, { waitUntil: 'commit' });
  await page.locator('[data-pane="conversation"] article').first().waitFor();
  const firstRows = performance.now() - begun;
  await allThere(page);

  const seeks: number[] = [];
  for (let seek = 0; seek < SEEKS; seek++) seeks.push(await page.evaluate(seekTo, String((seek * 7) % 10)));
  const longest = await scrub(page);
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  const row = (what: string, ours: string, limit: string, met: boolean): Row => ({
    what: `Studio, ${what}`,
    ours,
    peer: '–',
    peerName: '–',
    ratio: null,
    goal: limit,
    met,
  });
  return [
    row('first rows of 10,000 events', milliseconds(firstRows), '< 1 s', firstRows < 1000),
    row('seek in 20 MB of output', milliseconds(median(seeks)), '< 100 ms', median(seeks) < 100),
    row('longest frame while scrubbing', milliseconds(longest), '≤ 100 ms', longest <= 100),
    row('heap', `${(heap / 1e6).toFixed(0)} MB`, '< 300 MB', heap < 300e6),
  ];
}

/** The history is loaded when no loading indicator is left. */
async function allThere(page: Page): Promise<void> {
  await page.locator('.status-line').getByText('complete').waitFor();
}

/** Presses a digit, which seeks to that tenth of the run, and waits until the terminal has drawn. */
function seekTo(digit: string): Promise<number> {
  const screen = document.querySelector('[data-pane="terminal"]')!;
  const start = performance.now();
  dispatchEvent(new KeyboardEvent('keydown', { key: digit }));
  return new Promise((resolve) => {
    let quiet: ReturnType<typeof setTimeout>;
    let last = performance.now();
    const observer = new MutationObserver(() => {
      last = performance.now();
      clearTimeout(quiet);
      quiet = setTimeout(end, 150);
    });
    const end = () => {
      observer.disconnect();
      resolve(last - start);
    };
    observer.observe(screen, { subtree: true, childList: true, characterData: true });
    quiet = setTimeout(end, 150);
  });
}

/** Drags the playhead along the timeline and back; returns the longest time between two frames. */
async function scrub(page: Page): Promise<number> {
  const slider = page.getByRole('slider').first();
  const box = (await slider.boundingBox())!;
  await page.evaluate(() => {
    const kept = globalThis as unknown as { frames: number[] };
    kept.frames = [];
    const note = (time: number) => {
      kept.frames.push(time);
      requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
  });
  await slider.focus();
  for (let step = 0; step <= 120; step++) {
    const share = step <= 60 ? step / 60 : (120 - step) / 60;
    await page.mouse.click(box.x + 4 + share * (box.width - 8), box.y + box.height / 2);
  }
  const frames = await page.evaluate(() => (globalThis as unknown as { frames: number[] }).frames);
  return Math.max(...frames.slice(1).map((time, index) => time - frames[index]!));
}

/** A folder with a program that has the name of an engine. */
function agentFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const program = buildProgram(new URL('./programs/long-session.ts', import.meta.url));
  const script = `#!/bin/sh\nexec '${process.execPath}' '${program}' ${EVENTS} ${BYTES}\n`;
  fs.writeFileSync(path.join(folder, 'codex'), script, { mode: 0o755 });
  return folder;
}

async function ended(server: TachoServer, runId: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${server.url}/v1/runs/${runId}`, { headers: server.headers });
    const { status } = (await response.json()) as { status: string };
    if (status === 'succeeded') return;
    if (status === 'failed') throw new Error('the run failed');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
