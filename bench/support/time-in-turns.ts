import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { median } from './figures.ts';

export const tacho = path.join(path.dirname(path.dirname(import.meta.dirname)), 'bin', 'tacho');

/**
 * The median time of each command, from start to exit. They run in turns, under the same load, in an empty folder, with
 * separate data and cache folders. Each runs twice first, to warm all caches, including ours.
 */
export function timeInTurns<Name extends string>(
  commands: Record<Name, readonly string[]>,
  rounds: number,
): Record<Name, number> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const env = { ...process.env, TACHO_HOME: path.join(folder, 'home'), XDG_CACHE_HOME: path.join(folder, 'cache') };
  const work = path.join(folder, 'work');
  fs.mkdirSync(work);
  const names = Object.keys(commands) as Name[];
  const taken = new Map(names.map((name) => [name, [] as number[]]));
  try {
    for (let round = -2; round < rounds; round++) {
      for (const name of names) {
        const ms = timed(commands[name], { env, cwd: work });
        if (round >= 0) taken.get(name)!.push(ms);
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
  return Object.fromEntries(names.map((name) => [name, median(taken.get(name)!)])) as Record<Name, number>;
}

function timed(argv: readonly string[], place: { env: NodeJS.ProcessEnv; cwd: string }): number {
  const start = performance.now();
  const { status, error } = spawnSync(argv[0]!, argv.slice(1), { stdio: 'ignore', ...place });
  if (status !== 0) throw new Error(`${argv.join(' ')} failed: ${error?.message ?? `exit code ${status}`}`);
  return performance.now() - start;
}
