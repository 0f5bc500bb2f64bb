import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createClient } from '../src/client/index.ts';
import { readRegularFile } from '../src/files/index.ts';
import { programOf, WAYS, type Way } from '../test/acceptance/trust/hostile-ways.ts';
import type { Row } from './row.ts';
import { quantile, tenths } from './support/figures.ts';
import { startTacho, type TachoServer } from './support/tacho-server.ts';

export const name = 'health under attack';
export const goal = 'p99 ≤ 3 times that of the idle server';
export const about =
  'How long `GET /v1/health` takes, asked again and again: of an idle server; while it runs harmless programs, one after the other; and while it ' +
  'runs programs that try to hang, erase, replace or move their records in every way of `test/acceptance/trust/hostile-ways.ts`, with four clients ' +
  'that verify each record, full of pipes then.';

const MAX_RATIO = 3;
const IDLE_MS = 10_000;
const EVERY_MS = 20;
const VERIFIERS = 4;

export async function run(): Promise<Row[]> {
  const server = await startTacho();
  try {
    const idle = await asking(server.url, () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
    const harmless = await asking(server.url, () => runAll(server, () => HARMLESS));
    const attacked = await asking(server.url, () => runAll(server, (way) => hostile(way, server)));
    const [alone, ordinary, ours] = [idle, harmless, attacked].map((taken) => quantile(taken, 0.99));
    const row = { what: 'health, p99', ours: tenths(ours!), goal: '–', met: null };
    return [
      {
        ...row,
        peer: tenths(alone!),
        peerName: 'the same server, idle',
        ratio: ours! / alone!,
        goal,
        met: ours! <= MAX_RATIO * alone!,
        note: `${idle.length} and ${attacked.length} requests, ${WAYS.length} programs`,
      },
      { ...row, peer: tenths(ordinary!), peerName: 'the same server, harmless programs', ratio: ours! / ordinary! },
    ];
  } finally {
    await server.stop();
  }
}

/** Milliseconds that each health request took while `work` ran. */
async function asking(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const taken: number[] = [];
  let isOver = false;
  const done = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const begun = performance.now();
    await (await fetch(`${url}/v1/health`)).arrayBuffer();
    taken.push(performance.now() - begun);
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
  await done;
  return taken;
}

const HARMLESS = ['bash', '-c', 'echo before; echo after; exit 7'];

function hostile(way: Way, { folder: home }: TachoServer): string[] {
  return programOf(way, { home, elsewhere: fs.mkdtempSync(path.join(home, 'elsewhere-')) });
}

async function runAll({ url, token, folder }: TachoServer, commandOf: (way: Way) => string[]): Promise<void> {
  const client = createClient({ url, token });
  for (const way of WAYS) {
    const command = commandOf(way);
    const { run_id } = await client.createRun({ command });
    const run = path.join(folder, 'runs', run_id);
    await until(() => isOver(run));
    if (command !== HARMLESS) fillWithPipes(path.join(run, '.audit'));
    await Promise.allSettled(Array.from({ length: VERIFIERS }, () => client.verify(run_id)));
  }
}

function fillWithPipes(audit: string): void {
  for (const name of ['meta.1.json', 'stdout.1.log', 'fs-diff.1.json', 'conversation.jsonl']) {
    fs.rmSync(path.join(audit, name), { force: true, recursive: true });
    execFileSync('mkfifo', [path.join(audit, name)]);
  }
}

function isOver(run: string): boolean {
  try {
    // Bounded, because Node aborts when it reads a file of a terabyte as text.
    const { live, status } = JSON.parse(readRegularFile(path.join(run, '.run.json')));
    return live === null && (status === 'failed' || status === 'succeeded');
  } catch {
    return false; // The program has moved it away.
  }
}

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
