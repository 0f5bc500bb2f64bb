import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';
import { median, milliseconds } from './support/figures.ts';

export const name = 'start-up';
export const goal = '≤ 2× node -e 0';
export const about =
  '`tacho --version` against `node -e 0`, which is the least a program on Node takes. For information, `tacho run -- true` ' +
  'against `script -qc true`: what a whole record of nothing costs, with its snapshots, journal, seal and all of it safe ' +
  'on disk, beside a C program that writes two lines.';

const ROUNDS = 20;
const tacho = path.join(path.dirname(import.meta.dirname), 'bin', 'tacho');

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const env = { ...process.env, TACHO_HOME: folder };
  const commands = {
    version: [tacho, '--version'],
    node: [process.execPath, '-e', '0'],
    record: [tacho, 'run', '--', 'true'],
    script: ['script', '-qc', 'true', '/dev/null'],
  };
  try {
    const taken = { version: [] as number[], node: [] as number[], record: [] as number[], script: [] as number[] };
    for (const argv of Object.values(commands)) timed(argv, env);
    for (let round = 0; round < ROUNDS; round++) {
      for (const key of ['version', 'node', 'record', 'script'] as const) taken[key].push(timed(commands[key], env));
    }
    const row = (what: string, ours: number, peerName: string, peer: number): Row => ({
      what,
      ours: milliseconds(ours),
      peer: milliseconds(peer),
      peerName,
      ratio: ours / peer,
      goal: '–',
      met: null,
      note: `medians of ${ROUNDS}`,
    });
    const version = row('tacho --version', median(taken.version), 'node -e 0', median(taken.node));
    return [
      { ...version, goal: '≤ 2×', met: version.ratio! <= 2 },
      row('tacho run -- true', median(taken.record), 'script -qc true', median(taken.script)),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function timed(argv: readonly string[], env: NodeJS.ProcessEnv): number {
  const start = performance.now();
  const { status, error } = spawnSync(argv[0]!, argv.slice(1), { stdio: 'ignore', env });
  if (status !== 0) throw new Error(`${argv.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
  return performance.now() - start;
}
