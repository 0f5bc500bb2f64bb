import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../src/config/index.ts';
import { loadTokens, locateDataHome } from '../../../src/runs/index.ts';
import { createLog, createServer } from '../../../src/server/index.ts';
import { makeRun, rawDraft, statusDraft } from '../support/make-run.ts';
import { memoryDirector } from '../support/memory-director.ts';

/** Measures event streams: the speed of one reader, alone and with slow ones, and the cost of slow ones. */
const EVENTS = Number(process.env.EVENTS ?? 100_000);
const SLOW = 20;
const program = fileURLToPath(import.meta.url);

if (process.argv[2] === 'serve') await serve(process.argv[3]!);
else await measure();

async function serve(home: string): Promise<void> {
  const context = {
    home: locateDataHome({}, home),
    config: loadConfig({ workspaceRoot: home, env: {} }).config,
    env: process.env,
    version: 'measured',
  };
  const tokens = loadTokens(home);
  const logger = createLog('silent');
  const server = await createServer({ director: memoryDirector(), context, tokens, logger });
  const { port } = await server.listen();
  process.on('SIGUSR2', () => {
    globalThis.gc?.();
    process.stdout.write(`${JSON.stringify(process.memoryUsage())}\n`);
  });
  process.stdout.write(`${JSON.stringify({ port, token: tokens.admin })}\n`);
}

async function measure(): Promise<void> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-measure-'));
  const run = await makeRun(home);
  const text = `${'x'.repeat(120)}\n`;
  await run.append([statusDraft('running')]);
  for (let made = 2; made < EVENTS; made += 1000) {
    const count = Math.min(1000, EVENTS - made);
    await run.append(Array.from({ length: count }, (_, index) => rawDraft(`${made + index} ${text}`)));
  }
  await run.append([statusDraft('succeeded')]);
  run.setStatus('succeeded');
  const bytes = fs.statSync(path.join(run.folder.audit, 'events.jsonl')).size;
  const child = spawn(process.execPath, ['--expose-gc', '--import', 'tsx', program, 'serve', home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const { port, token } = JSON.parse(await firstLine(child)) as { port: number; token: string };
    const open = (rest: string) => get(port, token, `/v1/runs/${run.folder.runId}/${rest}`);
    const rss = () => residentBytes(child.pid!);
    /** Memory in use, and resident memory: freed memory is not returned immediately. */
    const memory = async () => {
      child.kill('SIGUSR2');
      const { rss: resident, arrayBuffers } = JSON.parse(await firstLine(child)) as NodeJS.MemoryUsage;
      return { resident, arrayBuffers };
    };
    const say = (name: string, value: string) => process.stdout.write(`${name.padEnd(44)} ${value}\n`);
    say('events, size of the log', `${EVENTS}, ${(bytes / 2 ** 20).toFixed(1)} MiB`);
    for (const round of [1, 2, 3]) {
      const { seconds, frames } = await readAll(await open('events/stream'));
      say(
        `one reader, round ${round}`,
        `${Math.round(frames / seconds)} events/s, ${(bytes / seconds / 2 ** 20).toFixed(0)} MiB/s, ${frames} events`,
      );
    }
    const calm = await memory();
    const slow = await Promise.all(Array.from({ length: SLOW }, () => open('events/stream')));
    for (const response of slow) response.pause();
    await delay(1500);
    const beside = await memory();
    say(
      `held for each of ${SLOW} slow readers`,
      `${Math.round((beside.arrayBuffers - calm.arrayBuffers) / SLOW / 1024)} KiB; RSS ${mebibytes(calm.resident)}, then ${mebibytes(beside.resident)} MiB`,
    );
    for (const round of [1, 2]) {
      const { seconds, frames } = await readAll(await open('events/stream'));
      say(
        `one fast beside ${SLOW} slow, round ${round}`,
        `${Math.round(frames / seconds)} events/s, ${frames} events, RSS ${mebibytes(rss())} MiB`,
      );
    }
    const begun = performance.now();
    const all = await Promise.all(slow.map((response) => readAll(response)));
    const seconds = (performance.now() - begun) / 1000;
    const least = Math.min(...all.map(({ frames }) => frames));
    say(
      'the slow ones, reading on',
      `at least ${least} events each, ${Math.round((SLOW * EVENTS) / seconds)} events/s together, RSS ${mebibytes(rss())} MiB`,
    );
    const folding = performance.now();
    const folded = await readAll(await open('conversation/stream'), folding);
    say('conversation folded on the fly', `${Math.round(folded.frames / folded.seconds)} messages/s`);
    const again = await readAll(await open('conversation/stream'));
    say('the same again, folded already', `${Math.round(again.frames / again.seconds)} messages/s`);
  } finally {
    child.kill();
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/** Counts frames by the empty line that ends them, so that the client's parsing is not measured. */
function readAll(
  response: http.IncomingMessage,
  begun = performance.now(),
): Promise<{ frames: number; seconds: number }> {
  return new Promise((resolve) => {
    let ends = 0;
    let previous = 0;
    response.on('data', (bytes: Buffer) => {
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
        if ((at > 0 ? bytes[at - 1] : previous) === 10) ends++;
      }
      previous = bytes[bytes.length - 1]!;
    });
    response.on('end', () => resolve({ frames: ends - 2, seconds: (performance.now() - begun) / 1000 }));
    response.resume();
  });
}

function get(port: number, token: string, address: string): Promise<http.IncomingMessage> {
  return new Promise((resolve, reject) => {
    http
      .get({ port, path: address, headers: { authorization: `Bearer ${token}` }, agent: false }, resolve)
      .on('error', reject);
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.stdout!.once('data', (bytes: Buffer) => resolve(bytes.toString())));
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024;
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
