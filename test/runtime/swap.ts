import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';

/** Exchanges two names atomically (RENAME_EXCHANGE) in an endless loop. */
const SWAP = `
const [koffi, one, other] = process.argv.slice(1);
const rename = require(koffi).load('libc.so.6').func('int renameat2(int, const char *, int, const char *, uint)');
if (rename(-100, one, -100, other, 2) !== 0) throw new Error('no exchange');
process.stdout.write('ready');
for (;;) rename(-100, one, -100, other, 2);`;

/** Swaps two names repeatedly until the test ends. */
export async function swap(one: string, other: string): Promise<void> {
  const koffi = createRequire(import.meta.url).resolve('koffi');
  const swapper = spawn(process.execPath, ['-e', SWAP, koffi, one, other], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(swapper, 'exit');
  onTestFinished(async () => {
    swapper.kill('SIGKILL');
    await ended;
  });
  await once(swapper.stdout, 'data');
}
