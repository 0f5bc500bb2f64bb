import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Terminal } from '../src/terminal/index.ts';
import type { Row } from './row.ts';
import { buildProgram } from './support/build-program.ts';
import { manyAtOnce } from './support/many-at-once.ts';
import { installNodePty } from './support/node-pty.ts';

export const name = 'output lost at fast exits';
export const goal = '0 bytes';
export const about =
  'Commands that print 20 KB and exit at once, eight at a time in one Node process: how many bytes never arrive. A ' +
  'terminal of tacho against `node-pty`, whose figure counts what has come 5 ms after it reports the exit. ' +
  '`BENCH_SMALL=1` makes it 500 commands instead of 10,000.';

const RUNS = process.env.BENCH_SMALL === '1' ? 500 : 10_000;
const WIDTH = 8;
const PRINTED = 20_000;

interface Arrived {
  received: number;
  /** Runs in which some bytes were lost. */
  incomplete: number;
}

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  try {
    const file = path.join(folder, 'letters.txt');
    fs.writeFileSync(file, 'a'.repeat(PRINTED)); // No line feed: node-pty's terminal would turn it into two bytes.
    const argv = ['cat', file];
    const installed = installNodePty();
    const peer = installed === null ? null : await onNodePty(installed, argv);
    const ours = await onTerminals(argv);
    return [
      {
        what: `${RUNS.toLocaleString('en')} commands printing 20 KB, ${WIDTH} at a time: bytes lost`,
        ours: lost(ours),
        peer: peer === null ? 'not installable here' : lost(peer),
        peerName: 'node-pty',
        ratio: null,
        goal,
        met: ours.received === RUNS * PRINTED && ours.incomplete === 0,
        note: `runs with loss: ours ${ours.incomplete}${peer === null ? '' : `, node-pty ${peer.incomplete}`} of ${RUNS}`,
      },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function onTerminals(argv: readonly string[]): Promise<Arrived> {
  const arrived: Arrived = { received: 0, incomplete: 0 };
  await manyAtOnce(RUNS, WIDTH, async () => {
    let bytes = 0;
    const terminal = Terminal.start({
      argv,
      cwd: os.tmpdir(),
      env: { PATH: process.env.PATH ?? '' },
      mode: 'split',
      cols: 120,
      rows: 40,
      echo: false,
      marker: randomBytes(8).toString('hex'),
      lingerMs: 1000,
      killGraceMs: 1000,
      onOutput(_side, output) {
        bytes += output.length;
      },
    });
    const { exitCode } = await terminal.ended;
    if (exitCode !== 0) throw new Error(`a command ended with ${exitCode}`);
    arrived.received += bytes;
    if (bytes !== PRINTED) arrived.incomplete++;
  });
  return arrived;
}

/** In a separate process: ours reaps the children that node-pty waits for. */
async function onNodePty(installed: string, argv: readonly string[]): Promise<Arrived> {
  const program = [
    buildProgram(new URL('./programs/node-pty-loss.ts', import.meta.url)),
    installed,
    String(RUNS),
    String(WIDTH),
    String(PRINTED),
    ...argv,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  return JSON.parse(stdout) as Arrived;
}

function lost({ received }: Arrived): string {
  const bytes = RUNS * PRINTED - received;
  const share = (bytes / (RUNS * PRINTED)) * 100;
  return bytes === 0 ? '0' : `${bytes.toLocaleString('en')} (${share.toFixed(1)} %)`;
}
