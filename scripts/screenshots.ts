import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Client, createClient, type NewTerminal } from '../src/client/index.ts';

/**
 * Screenshots of every page and state of the Studio, in both themes and three widths, from real runs:
 *
 *   npm run screenshots            into test-output/screenshots, for review
 *   npm run screenshots -- readme  the three of the README, into docs/images
 */
const root = path.dirname(import.meta.dirname);
const forReadme = process.argv.includes('readme');
const out = path.join(root, forReadme ? 'docs/images' : 'test-output/screenshots');

interface Shot {
  name: string;
  address: string;
  /** Pressed before the screenshot. */
  keys?: readonly string[];
}

const ENDED = ['succeeded', 'failed', 'canceled'];
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-screenshots-'));
const server = spawn(
  process.execPath,
  [path.join(root, 'bin/tacho'), 'start', '--port', '0', '--json', '--data', home],
  {
    cwd: home,
    env: { ...process.env, TACHO_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
let client: Client | null = null;
try {
  const { url, token } = JSON.parse(await firstLine(server)) as { url: string; token: string };
  client = createClient({ url, token });
  const shots = await makeRuns(client);
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  fs.mkdirSync(out, { recursive: true });
  if (forReadme) await takeReadme(browser, shots, { url, token });
  else await takeAll(browser, shots, { url, token });
  await browser.close();
} finally {
  if (client) await endRuns(client);
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('exit', resolve));
  fs.rmSync(home, { recursive: true, force: true });
}

async function makeRuns(client: Client): Promise<Shot[]> {
  const demo = async (prompt: string, mode: 'auto' | 'interactive' = 'auto', pace = 1) =>
    (
      await client.createRun({
        engine: 'demo',
        prompt,
        mode,
        engine_args: [`--pace=${pace}`, '--approval-wait=600000'],
      })
    ).run_id;
  const done = await demo('Look around and write a report');
  const waiting = await demo('Write a report, and ask me for its title', 'interactive');
  for (const run of [done, waiting]) await settled(client, run);
  const failed = await demo('fail', 'auto', 0);
  const command = (
    await client.createRun({
      command: ['sh', '-c', 'for i in 1 2 3; do echo "step $i"; echo "warning $i" >&2; sleep 0.3; done; exit 3'],
    })
  ).run_id;
  fs.cpSync(path.join(root, 'examples/skills'), path.join(home, 'skills'), { recursive: true });
  // The demo agent does not know the skill, so its result is invalid.
  const skilled = (
    await client.createRun({
      engine: 'demo',
      skill: 'review-diff',
      input: { base: 'HEAD~1' },
      engine_args: ['--pace=0'],
    })
  ).run_id;
  for (const run of [failed, command, skilled]) await settled(client, run);
  const asking = await demo('approve', 'auto', 0);
  while ((await client.approvals({ status: 'pending' })).length === 0) await pause(50);
  const live = await demo('slow');
  await pause(4000);
  const terminals = await makeTerminals(client);
  const tabs = ['event', 'events', 'raw', 'graph', 'files', 'diagnostics'];
  return [
    { name: 'runs', address: '/' },
    { name: 'runs-no-match', address: '/?q=status:canceled' },
    { name: 'new-run', address: '/new' },
    { name: 'approvals', address: '/approvals' },
    { name: 'terminals', address: '/terminals' },
    { name: 'terminals-no-match', address: '/terminals?q=nothing' },
    { name: 'terminal', address: `/terminals/${terminals.pty}` },
    { name: 'terminal-taken-over', address: `/terminals/${terminals.pty}`, keys: ['Control+Shift+Enter'] },
    { name: 'terminal-help', address: `/terminals/${terminals.pty}`, keys: ['?'] },
    { name: 'terminal-shell', address: `/terminals/${terminals.shell}` },
    { name: 'terminal-ended', address: `/terminals/${terminals.ended}` },
    { name: 'skills', address: '/skills' },
    { name: 'skill', address: '/skills/user/review-diff' },
    { name: 'run-skill', address: `/runs/${skilled}?tab=skill` },
    { name: 'open', address: '/open' },
    { name: 'run-live', address: `/runs/${live}` },
    { name: 'run-waiting', address: `/runs/${waiting}` },
    { name: 'run-waiting-events', address: `/runs/${waiting}?tab=events` },
    { name: 'run-approval', address: `/runs/${asking}` },
    { name: 'run-command', address: `/runs/${command}?tab=events` },
    { name: 'run-help', address: `/runs/${done}`, keys: ['?'] },
    ...tabs.map((tab) => ({
      name: `run-${tab}`,
      address: `/runs/${tab === 'diagnostics' ? failed : done}?tab=${tab}${tab === 'files' ? '&file=tacho-demo-report.md' : ''}`,
    })),
  ];
}

/** Their daemon exits when its folder is removed. */
async function makeTerminals(client: Client): Promise<{ pty: string; shell: string; ended: string }> {
  const workspace = path.join(home, 'project');
  fs.mkdirSync(workspace);
  const open = async (terminal: Omit<NewTerminal, 'workspace'>) =>
    (await client.terminals.create({ workspace, ...terminal })).terminal_id;
  const pty = await open({ kind: 'pty', name: 'build', record: true, argv: ['bash', '--norc', '--noprofile'] });
  const shell = await open({ kind: 'shell', name: 'tests', record: true });
  await open({ kind: 'exec', argv: ['sleep', '600'] });
  const ended = await open({ kind: 'pty', argv: ['sh', '-c', 'echo "3 of 12 tests failed"; exit 3'] });
  await client.terminals.input(pty, 'PS1="project$ "; clear; ls --color -la /usr | head -18\n');
  for (const command of ['echo "all is well"', 'printf "\\033[32mok\\033[0m\\t12 tests\\n"; echo "1 warning" >&2'])
    await client.terminals.run(shell, { command });
  return { pty, shell, ended };
}

async function takeAll(browser: Browser, shots: readonly Shot[], where: Where): Promise<void> {
  for (const width of [1440, 900, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const shot of shots)
        await take(browser, shot, { ...where, width, colorScheme, file: `${shot.name}-${width}-${colorScheme}` });
    }
  }
  for (const shot of shots)
    await take(browser, shot, {
      ...where,
      width: 1440,
      colorScheme: 'light',
      locale: 'zh-CN',
      file: `${shot.name}-chinese`,
    });
}

/** GitHub shows a README about 840 pixels wide: a narrow page with twice the pixels stays readable there. */
async function takeReadme(browser: Browser, shots: readonly Shot[], where: Where): Promise<void> {
  const wanted = { 'run-waiting-events': 'studio-question', 'run-raw': 'studio-bytes', 'run-files': 'studio-files' };
  for (const [name, file] of Object.entries(wanted)) {
    const shot = shots.find((one) => one.name === name)!;
    const colorScheme = file === 'studio-bytes' ? 'dark' : 'light';
    await take(browser, shot, { ...where, width: 1260, height: 780, scale: 2, colorScheme, file });
  }
}

interface Where {
  url: string;
  token: string;
}

interface Look extends Where {
  width: number;
  height?: number;
  scale?: number;
  colorScheme: 'light' | 'dark';
  locale?: string;
  file: string;
}

async function take(
  browser: Browser,
  shot: Shot,
  { url, token, width, height = width < 700 ? 844 : 900, scale = 1, colorScheme, locale = 'en-US', file }: Look,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height },
    deviceScaleFactor: scale,
    colorScheme,
    locale,
  });
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${file}: ${message.text()}\n`);
  });
  await page.goto(`${url}${shot.address}#token=${token}`);
  await page.locator('main').waitFor();
  await pause(900);
  for (const key of shot.keys ?? []) await page.keyboard.press(key);
  await pause(200);
  await page.screenshot({ path: path.join(out, `${file}.png`) });
  await context.close();
}

/** Runs outlive the server: one that waits for an approval would stay for ten minutes, without its folder. */
async function endRuns(client: Client): Promise<void> {
  for await (const { run_id, status } of client.eachRun()) if (!ENDED.includes(status)) await client.cancel(run_id);
  const open = async () => {
    for await (const { status } of client.eachRun()) if (!ENDED.includes(status)) return true;
    // A supervisor has this link until it has written everything.
    return fs.readdirSync(path.join(home, 'live')).length > 0;
  };
  while (await open()) await pause(50);
}

async function settled(client: Client, run: string): Promise<void> {
  for (;;) {
    const { status } = await client.getRun(run);
    if (status !== 'queued' && status !== 'running') return;
    await pause(50);
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    child.stdout!.on('data', (bytes: Buffer) => {
      text += bytes.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
