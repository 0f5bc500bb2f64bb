import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { createClient } from '../src/client/index.ts';
import { programOf, WAYS } from '../test/acceptance/trust/hostile-ways.ts';
import type { Row } from './row.ts';
import { quantile, tenths } from './support/figures.ts';
import { startTacho, type TachoServer } from './support/tacho-server.ts';

export const name = 'health under attack';
export const goal = 'p99 ≤ 3 times that of the idle server';
export const about =
  'How long `GET /v1/health` takes, asked 50 times a second: first of an idle server, then while it runs, four at a time, programs that try to hang, ' +
  'erase, replace or move their records in every way of `test/acceptance/trust/hostile-ways.ts`, and while clients verify records ' +
  'that are full of pipes.';

const MOST_TIMES = 3;
const IDLE_MS = 10_000;
const EVERY_MS = 20;
const AT_ONCE = 4;

export async function run(): Promise<Row[]> {
  const server = await startTacho();
  try {
    const idle = await asking(server.url, () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)));
    const attacked = await asking(server.url, () => attack(server));
    const [before, during] = [quantile(idle, 0.99), quantile(attacked, 0.99)];
    return [
      {
        what: 'health, p99',
        ours: tenths(during),
        peer: tenths(before),
        peerName: 'the same server, idle',
        ratio: during / before,
        goal,
        met: during <= MOST_TIMES * before,
        note: `${idle.length} and ${attacked.length} requests, ${WAYS.length} programs`,
      },
    ];
  } finally {
    await server.stop();
  }
}

/** Milliseconds that each request for the health took while `work` went on. */
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

async function attack({ url, token, folder: home }: TachoServer): Promise<void> {
  const client = createClient({ url, token });
  const left = [...WAYS];
  const attackers = Array.from({ length: AT_ONCE }, async () => {
    for (let way = left.pop(); way; way = left.pop()) {
      const elsewhere = fs.mkdtempSync(path.join(home, 'elsewhere-'));
      const { run_id } = await client.createRun({ command: programOf(way, { home, elsewhere }) });
      await until(() => isOver(path.join(home, 'runs', run_id)));
      fillWithPipes(path.join(home, 'runs', run_id, '.audit'));
      await Promise.allSettled(Array.from({ length: AT_ONCE }, () => client.verify(run_id)));
    }
  });
  await Promise.all(attackers);
}

function fillWithPipes(audit: string): void {
  for (const name of ['meta.1.json', 'stdout.1.log', 'fs-diff.1.json', 'conversation.jsonl']) {
    fs.rmSync(path.join(audit, name), { force: true, recursive: true });
    execFileSync('mkfifo', [path.join(audit, name)]);
  }
}

function isOver(run: string): boolean {
  try {
    const file = path.join(run, '.run.json');
    const { live, status } = fs.lstatSync(file).isFile() && JSON.parse(fs.readFileSync(file, 'utf8'));
    return live === null && (status === 'failed' || status === 'succeeded');
  } catch {
    return false; // The program has it out of the way.
  }
}

async function until(look: () => boolean): Promise<void> {
  while (!look()) await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
}
